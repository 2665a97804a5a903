package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"time"
)

// The image contains the program alone, which embeds time zones and root certificates. 65532
// is the ID of the user that other images without a shell call nonroot.
const (
	imageUser   = "65532:65532"
	imageConfig = "/etc/calfacade/config.yaml"
)

// object is a JSON object. Its keys are sorted when it is encoded.
type object = map[string]any

// writeImage writes an image in the OCI layout, as an archive. manifest.json is for versions
// of "docker load" that do not read the layout.
func (r *release) writeImage(_ context.Context, p program) error {
	data, err := os.ReadFile(p.file)
	if err != nil {
		return err
	}
	var layer, packed bytes.Buffer
	root := []entry{{"calfacade", 0o755, data}}
	if err := tarred(&layer, root, r.time); err != nil {
		return err
	}
	if err := tarGz(&packed, root, r.time); err != nil {
		return err
	}
	tag := "calfacade:" + r.version
	var blobs blobs
	layers := []object{blobs.add("application/vnd.oci.image.layer.v1.tar+gzip", packed.Bytes())}
	config := blobs.addJSON("application/vnd.oci.image.config.v1+json", r.imageConfig(p, digest(layer.Bytes())))
	manifest := blobs.addJSON("application/vnd.oci.image.manifest.v1+json", object{
		"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
		"config": config, "layers": layers, "annotations": r.labels(p),
	})
	manifest["platform"] = object{"os": p.os, "architecture": p.arch}
	manifest["annotations"] = object{"org.opencontainers.image.ref.name": r.version, "io.containerd.image.name": "docker.io/library/" + tag}
	all := append(blobs,
		entry{"index.json", 0o644, encoded(object{
			"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": []object{manifest},
		})},
		entry{"manifest.json", 0o644, encoded([]object{{"Config": blobName(config), "RepoTags": []string{tag}, "Layers": []string{blobName(layers[0])}}})},
		entry{"oci-layout", 0o644, encoded(object{"imageLayoutVersion": "1.0.0"})})
	return r.create(r.name(p)+".oci.tar", func(w io.Writer) error { return tarred(w, all, r.time) })
}

// imageConfig describes how to run the image. Healthcheck is an extension of Docker.
func (r *release) imageConfig(p program, layer string) object {
	created := r.time.Format(time.RFC3339)
	return object{
		"os": p.os, "architecture": p.arch, "created": created,
		"config": object{
			"User":         imageUser,
			"WorkingDir":   "/",
			"Entrypoint":   []string{"/calfacade"},
			"Cmd":          []string{"serve", "--config", imageConfig},
			"ExposedPorts": object{"8080/tcp": object{}, "9090/tcp": object{}},
			"Labels":       r.labels(p),
			"Healthcheck": object{
				"Test":     []string{"CMD", "/calfacade", "health", "--config", imageConfig},
				"Interval": 10 * time.Second, "Timeout": 5 * time.Second, "StartPeriod": 10 * time.Second, "Retries": 3,
			},
		},
		"rootfs":  object{"type": "layers", "diff_ids": []string{layer}},
		"history": []object{{"created": created, "created_by": "calfacade"}},
	}
}

func (r *release) labels(p program) object {
	all := object{
		"org.opencontainers.image.title":    "calfacade",
		"org.opencontainers.image.version":  r.version,
		"org.opencontainers.image.created":  r.time.Format(time.RFC3339),
		"org.opencontainers.image.licenses": "MIT",
		"org.opencontainers.image.source":   "https://" + p.info.Main.Path,
	}
	for _, s := range p.info.Settings {
		if s.Key == "vcs.revision" {
			all["org.opencontainers.image.revision"] = s.Value
		}
	}
	return all
}

// blobs are the files of a layout that are named by their digest.
type blobs []entry

// add adds a blob, and returns its descriptor.
func (b *blobs) add(mediaType string, data []byte) object {
	d := object{"mediaType": mediaType, "digest": digest(data), "size": len(data)}
	*b = append(*b, entry{blobName(d), 0o644, data})
	return d
}

func (b *blobs) addJSON(mediaType string, v object) object { return b.add(mediaType, encoded(v)) }

func blobName(descriptor object) string {
	return "blobs/sha256/" + descriptor["digest"].(string)[len("sha256:"):]
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}

func encoded(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return data
}
