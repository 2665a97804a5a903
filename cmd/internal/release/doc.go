// Command release makes the files of a release from the commit that is checked out:
// archives, packages for Debian and RPM, container images, a software bill of materials
// for each binary, the notes, and the checksums of all.
//
// It builds a clone of the commit, so that uncommitted files have no effect, and takes all
// times from the commit: the same commit and the same Go make the same bytes. Start reading
// at main.go.
package main
