package redistest

import (
	"context"
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
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/calfacade/calfacade/cache/testwait"
)

// Topology is a way to run Redis.
type Topology struct {
	URLs    []string
	Masters []*Server
}

// Topologies are all ways to run Redis that package redisstore supports.
var Topologies = []struct {
	Name  string
	Start func(t testing.TB) Topology
}{
	{"acl", startACL},
	{"cluster", StartCluster},
	{"password", StartPassword},
	{"sentinel", func(t testing.TB) Topology {
		s := StartSentinel(t)
		return Topology{s.URLs(), []*Server{s.Master}}
	}},
	{"tcp", func(t testing.TB) Topology {
		s := StartServer(t)
		return Topology{[]string{s.URL()}, []*Server{s}}
	}},
	{"tls", startTLS},
	{"unix", startUnix},
}

func startUnix(t testing.TB) Topology {
	needRedis(t, "redis-server")
	path := socketPath(t)
	s := startServerAt(t, path, &redis.Options{Network: "unix", Addr: path}, "--port", "0", "--unixsocket", path)
	return Topology{[]string{"unix://" + path}, []*Server{s}}
}

// StartPassword starts a server with a password.
func StartPassword(t testing.TB) Topology {
	needRedis(t, "redis-server")
	port := FreePort(t)
	address := "127.0.0.1:" + port
	s := startServerAt(t, address, &redis.Options{Addr: address, Password: "p@ss"}, "--port", port, "--requirepass", "p@ss")
	return Topology{[]string{"redis://:p%40ss@" + address + "/3"}, []*Server{s}}
}

// startACL has a user who may do what the comment of redisstore.Options says, and no more.
func startACL(t testing.TB) Topology {
	s := StartServer(t)
	s.Do(append([]any{"ACL", "SETUSER", "facade", "on", ">s3cret", "~calfacade*", "&calfacade*"}, aclNeeds...)...)
	return Topology{[]string{"redis://facade:s3cret@" + s.Address}, []*Server{s}}
}

var aclNeeds = []any{"+@read", "+@write", "+@connection", "+@transaction", "+@scripting", "+@pubsub",
	"+info", "+time", "+cluster|slots", "+cluster|shards"}

// startTLS has a server that refuses clients without a certificate.
func startTLS(t testing.TB) Topology {
	needRedis(t, "redis-server")
	cert, key, pool := certificate(t)
	port := FreePort(t)
	address := "127.0.0.1:" + port
	pair, err := tls.LoadX509KeyPair(cert, key)
	Must(t, err)
	s := startServerAt(t, address, &redis.Options{Addr: address,
		TLSConfig: &tls.Config{RootCAs: pool, Certificates: []tls.Certificate{pair}}},
		"--port", "0", "--tls-port", port, "--tls-cert-file", cert, "--tls-key-file", key,
		"--tls-ca-cert-file", cert, "--tls-auth-clients", "yes")
	return Topology{[]string{"rediss://" + address + "?ca_file=" + cert + "&cert_file=" + cert + "&key_file=" + key}, []*Server{s}}
}

// certificate makes one for 127.0.0.1 that nobody else trusts.
func certificate(t testing.TB) (certFile, keyFile string, pool *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	Must(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	Must(t, err)
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	Must(t, err)
	dir := t.TempDir()
	certFile, keyFile = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	certPEM := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	Must(t, os.WriteFile(certFile, certPEM, 0o600))
	Must(t, os.WriteFile(keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER}), 0o600))
	pool = x509.NewCertPool()
	pool.AppendCertsFromPEM(certPEM)
	return certFile, keyFile, pool
}

// StartCluster starts three masters.
func StartCluster(t testing.TB) Topology {
	var c Topology
	for range 3 {
		s := StartServer(t, "--cluster-enabled", "yes", "--cluster-node-timeout", "5000")
		c.Masters = append(c.Masters, s)
		c.URLs = append(c.URLs, s.URL())
	}
	for i, s := range c.Masters {
		s.Do("CLUSTER", "SET-CONFIG-EPOCH", i+1)
		s.Do("CLUSTER", "ADDSLOTSRANGE", i*16384/3, (i+1)*16384/3-1)
		host, port, _ := net.SplitHostPort(s.Address)
		c.Masters[0].Do("CLUSTER", "MEET", host, port)
	}
	for _, s := range c.Masters {
		testwait.Until(t, "cluster is up", func() bool {
			info, _ := s.Admin.ClusterInfo(context.Background()).Result()
			nodes, _ := s.Admin.ClusterNodes(context.Background()).Result()
			return strings.Contains(info, "cluster_state:ok") && strings.Contains(info, "cluster_known_nodes:3") &&
				!strings.Contains(nodes, "handshake")
		})
	}
	return c
}

// Sentinel is a master and a replica that a Sentinel monitors.
type Sentinel struct {
	Master, replica *Server
	watch           *Server
}

// URLs returns the URL of the Sentinel.
func (s Sentinel) URLs() []string { return []string{s.watch.URL() + "?master_name=calendar"} }

// StartSentinel starts a master, a replica and a Sentinel.
func StartSentinel(t testing.TB) Sentinel {
	needRedis(t, "redis-server", "redis-sentinel")
	var s Sentinel
	s.Master = StartServer(t)
	host, port, _ := net.SplitHostPort(s.Master.Address)
	s.replica = StartServer(t, "--replicaof", host+" "+port)
	testwait.Until(t, "replica is in sync", func() bool {
		// The replica says so earlier, when written data still waits.
		info, _ := s.Master.Admin.Info(context.Background(), "replication").Result()
		return strings.Contains(info, "state=online")
	})
	file := filepath.Join(t.TempDir(), "sentinel.conf")
	own := FreePort(t)
	Must(t, os.WriteFile(file, fmt.Appendf(nil, `port %s
bind 127.0.0.1
sentinel monitor calendar %s %s 1
sentinel failover-timeout calendar 5000
`, own, host, port), 0o600))
	address := "127.0.0.1:" + own
	s.watch = startSentinelAt(t, address, file)
	s.downAfter(calm)
	// A timer that is 2 s late makes a Sentinel do nothing for 30 s. Only Redis 7 can change that.
	_ = s.watch.Admin.Do(context.Background(), "SENTINEL", "DEBUG", "tilt-trigger", calm.Milliseconds()).Err()
	s.awaitSync(t)
	return s
}

// awaitSync waits until the Sentinel knows that the replica follows the master.
func (s Sentinel) awaitSync(t testing.TB) {
	t.Helper()
	sentinel := redis.NewSentinelClient(s.watch.Admin.Options())
	defer func() { _ = sentinel.Close() }()
	testwait.Until(t, "sentinel knows the replica", func() bool {
		replicas, _ := sentinel.Replicas(context.Background(), "calendar").Result()
		return len(replicas) == 1 && replicas[0]["flags"] == "slave" && replicas[0]["master-link-status"] == "ok"
	})
}

// calm is a time for which no server is slow. The master counts as down after it, but in Await.
const calm = 2 * testwait.Limit

func (s Sentinel) downAfter(d time.Duration) {
	s.watch.Do("SENTINEL", "SET", "calendar", "down-after-milliseconds", d.Milliseconds())
}

// Failover promotes the replica, and waits until the Sentinel reports it as master.
func (s Sentinel) Failover(t testing.TB) {
	t.Helper()
	testwait.Until(t, "failover begins", func() bool {
		return s.watch.Admin.Do(context.Background(), "SENTINEL", "FAILOVER", "calendar").Err() == nil
	})
	s.awaitReplica(t)
}

// Await lets the Sentinel detect that the master is down, and waits until it reports the replica as
// master.
func (s Sentinel) Await(t testing.TB) {
	t.Helper()
	s.downAfter(time.Second)
	s.awaitReplica(t)
	s.downAfter(calm)
}

// Return starts the old master as the replica of the one that was promoted, so that both have changed
// places.
func (s *Sentinel) Return(t testing.TB) {
	t.Helper()
	s.Master, s.replica = s.replica, s.Master
	host, port, _ := net.SplitHostPort(s.Master.Address)
	s.replica.args = append(slices.Clone(s.replica.args[:4]), "--replicaof", host+" "+port)
	s.replica.Start()
	s.watch.Do("SENTINEL", "SET", "calendar", "failover-timeout", 1000) // two failovers take turns after twice that
	s.awaitSync(t)
}

func (s Sentinel) awaitReplica(t testing.TB) {
	t.Helper()
	testwait.Until(t, "replica is master", func() bool {
		at, _ := s.watch.Admin.Do(context.Background(), "SENTINEL", "GET-MASTER-ADDR-BY-NAME", "calendar").StringSlice()
		return len(at) == 2 && net.JoinHostPort(at[0], at[1]) == s.replica.Address
	})
}

// socketPath is short, since the path of a socket may have 107 bytes.
func socketPath(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "r")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return filepath.Join(dir, "s")
}
