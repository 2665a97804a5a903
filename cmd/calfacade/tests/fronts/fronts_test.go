//go:build !race

package fronts_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
)

// DIR is the directory of the shipped files, WWW and PLAIN are the addresses for https and http.
var fronts = []processtest.FrontServer{
	{
		Directory: "nginx", Program: "nginx",
		Main: "daemon off; pid DIR/pid; error_log stderr; user USER; events {} http {\n" +
			"access_log off; client_body_temp_path DIR/body; proxy_temp_path DIR/proxied;\n" +
			"include DIR/conf.d/*.conf; include DIR/sites-available/*.conf; }",
		Args: "-e stderr -c DIR/main",
	},
	{
		Directory: "caddy", Program: "caddy",
		Main: "{\nadmin off\ndefault_bind 127.0.0.1\nhttps_port WWWPORT\nhttp_port PLAINPORT\n" +
			"local_certs\nskip_install_trust\nstorage file_system DIR/data\n}\nimport DIR/Caddyfile",
		Args: "run --adapter caddyfile --config DIR/main",
		CA:   "data/pki/authorities/local/root.crt",
	},
	{
		Directory: "apache2", Program: "apache2",
		Main: "ServerRoot DIR\nDefaultRuntimeDir DIR\nPidFile DIR/pid\nErrorLog /dev/stderr\nServerName localhost\n" +
			"User nobody\nGroup nogroup\n" +
			apacheModules("mpm_event", "authz_core", "alias", "headers", "proxy", "proxy_http", "socache_shmcb", "ssl", "unique_id") +
			"Listen WWW\nListen PLAIN\nInclude DIR/sites-available/*.conf",
		Args: "-DFOREGROUND -f DIR/main",
	},
	{Directory: "haproxy", Program: "haproxy", Args: "-db -f DIR/haproxy.cfg"},
}

func apacheModules(names ...string) string {
	var b strings.Builder
	for _, name := range names {
		fmt.Fprintf(&b, "LoadModule %s_module /usr/lib/apache2/modules/mod_%[1]s.so\n", name)
	}
	return b.String()
}

// siteFront is a running frontServer, with addresses for the instances of calfacade behind it.
type siteFront struct {
	*testing.T
	www, plain string // addresses for https and http
	instances  [2]struct{ public, admin string }
	ca         string // a file
	dir        string
	shipped    *strings.Replacer
}

// startFront starts a proxy with its shipped files, in which nothing is replaced but
// addresses, ports and directories.
func startFront(t *testing.T, s processtest.FrontServer, site string) *siteFront {
	t.Helper()
	program := s.Find(t)
	f := &siteFront{T: t, dir: t.TempDir(), www: processtest.FreeAddress(t), plain: processtest.FreeAddress(t)}
	for i := range f.instances {
		f.instances[i].public = processtest.FreeAddress(t)
		f.instances[i].admin = processtest.FreeAddress(t)
	}
	f.shipped = f.places(s.Directory, site)
	if err := os.CopyFS(f.dir, os.DirFS(filepath.Join(processtest.Repository+"/docs/deploy", s.Directory))); err != nil {
		t.Fatal(err)
	}
	f.eachFile(f.shipped.Replace)
	replacer := strings.NewReplacer("DIR", f.dir, "USER", processtest.CurrentUser(t),
		"WWWPORT", portOf(f.www), "WWW", f.www, "PLAINPORT", portOf(f.plain), "PLAIN", f.plain)
	if s.Main != "" {
		f.write("main", replacer.Replace(s.Main))
	}
	f.ca = filepath.Join(f.dir, s.CA)
	if s.CA == "" {
		f.ca = filepath.Join(f.dir, "fullchain.pem")
		f.certify()
	}
	cmd := exec.Command(program, strings.Fields(replacer.Replace(s.Args))...)
	cmd.Env = []string{"HOME=" + f.dir}
	p := processtest.StartCommand(t, cmd)
	t.Cleanup(func() { // killed, it would leave its workers
		p.Terminate()
		<-p.Ended
	})
	processtest.Eventually(t, s.Program+" listens", f.listens)
	return f
}

// places replaces the addresses of the shipped files by the test's.
func (f *siteFront) places(directory, site string) *strings.Replacer {
	first, second := f.instances[0], f.instances[1]
	return strings.NewReplacer(
		"127.0.0.1:8081", site,
		"127.0.0.1:8080", first.public, "port 9090", "port "+portOf(first.admin),
		"127.0.0.1:8180", second.public, "port 9190", "port "+portOf(second.admin),
		"https://127.0.0.1/", "https://"+f.www+"/",
		"listen 443", "listen "+f.www, "*:443", f.www, "bind :443", "bind "+f.www,
		"listen 80", "listen "+f.plain, "*:80", f.plain, "bind :80", "bind "+f.plain,
		"/etc/letsencrypt/live/"+siteHost, f.dir, "/etc/haproxy/certs", f.dir, "/etc/"+directory, f.dir,
	)
}

// listens reports whether the proxy accepts connections, and shows its certificate.
func (f *siteFront) listens() bool {
	for _, address := range []string{f.www, f.plain} {
		c, err := net.Dial("tcp", address)
		if err != nil {
			return false
		}
		c.Close()
	}
	if _, err := os.Stat(f.ca); err != nil {
		return false
	}
	c, err := tls.Dial("tcp", f.www, &tls.Config{RootCAs: f.roots(), ServerName: siteHost})
	if err != nil { // Caddy makes its certificate after the one of its CA
		return false
	}
	c.Close()
	return true
}

func portOf(address string) string {
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return port
}

func (f *siteFront) write(name, text string) {
	f.Helper()
	if err := os.WriteFile(filepath.Join(f.dir, name), []byte(text), 0o600); err != nil {
		f.Fatal(err)
	}
}

// eachFile changes all files of the directory.
func (f *siteFront) eachFile(change func(text string) string) {
	f.Helper()
	err := filepath.WalkDir(f.dir, func(file string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		return os.WriteFile(file, []byte(change(string(text))), 0o600)
	})
	if err != nil {
		f.Fatal(err)
	}
}

// certify writes a certificate for the site, as certbot and for HAProxy.
func (f *siteFront) certify() {
	f.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		f.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(1000 * time.Hour),
		DNSNames: []string{siteHost}, IsCA: true, BasicConstraintsValid: true,
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		f.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		f.Fatal(err)
	}
	chain := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert}))
	private := string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}))
	f.write("fullchain.pem", chain)
	f.write("privkey.pem", private)
	f.write(siteHost+".pem", chain+private)
}
