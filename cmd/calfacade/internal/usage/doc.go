// Package usage renders the help of the commands. Start reading at [Help].
package usage
