package deploying_test

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/service/servicetest"
	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
)

// cluster has all objects of the manifests, one of each kind but for services.
type cluster struct {
	configMap        configMap
	deployment       deployment
	services         map[string]kubeService
	disruptionBudget disruptionBudget
	ingress          ingress
	autoscaler       autoscaler
	serviceMonitor   serviceMonitor
}

func readCluster(t *testing.T) cluster {
	t.Helper()
	files, err := filepath.Glob(processtest.Repository + "/docs/deploy/kubernetes/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	c := cluster{services: map[string]kubeService{}}
	for _, file := range files {
		for text := range strings.SplitSeq(processtest.ReadFile(t, file), "\n---\n") {
			var head objectHead
			if err := yaml.Unmarshal([]byte(text), &head); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			var s kubeService
			into := map[string]any{
				"v1 ConfigMap": &c.configMap, "v1 Service": &s, "apps/v1 Deployment": &c.deployment,
				"autoscaling/v2 HorizontalPodAutoscaler": &c.autoscaler, "monitoring.coreos.com/v1 ServiceMonitor": &c.serviceMonitor,
				"networking.k8s.io/v1 Ingress": &c.ingress, "policy/v1 PodDisruptionBudget": &c.disruptionBudget,
			}[head.APIVersion+" "+head.Kind]
			if into == nil {
				t.Fatalf("%s: %s %s is not expected", file, head.APIVersion, head.Kind)
			}
			d := yaml.NewDecoder(strings.NewReader(text))
			d.KnownFields(true)
			if err := d.Decode(into); err != nil {
				t.Fatalf("%s: %s: %v", file, head.Kind, err)
			}
			if s.Kind != "" {
				c.services[s.Metadata.Name] = s
			}
		}
	}
	return c
}

func (c cluster) config(t *testing.T) config.Config {
	t.Helper()
	secrets := []string{"CALFACADE_ADMIN_TOKEN=0123456789abcdef", "CALFACADE_CACHE_REDIS=redis://redis:6379/0"}
	cfg, err := config.Parse("config.yaml", []byte(c.configMap.Data["config.yaml"]), secrets)
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// TestKubernetes holds that the manifests fit the program: its configuration is valid, its
// ports are those, its probes are answered, and its patience lasts.
func TestKubernetes(t *testing.T) {
	objects := readCluster(t)
	c := objects.config(t)
	pod := objects.deployment.Spec.Template.Spec
	if grace := time.Duration(pod.TerminationGracePeriodSeconds) * time.Second; grace <= c.DrainDelay+c.ShutdownTimeout {
		t.Errorf("the pod is killed after %s, but drains for %s and then %s", grace, c.DrainDelay, c.ShutdownTimeout)
	}
	if pod.EnableServiceLinks == nil || *pod.EnableServiceLinks {
		t.Error("variables of Services would count as configuration")
	}
	container := pod.Containers[0]
	ports := map[string]string{}
	for _, p := range container.Ports {
		ports[p.Name] = ":" + p.ContainerPort
	}
	if ports["http"] != c.Listen || ports["admin"] != c.AdminListen {
		t.Errorf("ports %v, listen %s, admin_listen %s", ports, c.Listen, c.AdminListen)
	}
	instance := servicetest.New(t, &c)
	for _, p := range []healthProbe{container.LivenessProbe, container.ReadinessProbe} {
		w := httptest.NewRecorder()
		instance.Admin(w, httptest.NewRequest(http.MethodGet, "http://10.0.0.7:9090"+p.HTTPGet.Path, nil))
		if w.Code != http.StatusOK || p.HTTPGet.Port != "admin" {
			t.Errorf("%+v: status %d", p, w.Code)
		}
	}
	recipe := processtest.ReadFile(t, processtest.Repository+"/docs/recipes/kubernetes.md")
	if secret := container.EnvFrom[0].SecretRef.Name; !strings.Contains(recipe, "create secret generic "+secret+" ") {
		t.Errorf("the document does not create the secret %s", secret)
	}
}

// TestKubernetesReferences holds that objects find each other: selectors, ports, and the roots of the
// configuration in the ingress.
func TestKubernetesReferences(t *testing.T) {
	objects := readCluster(t)
	pods := objects.deployment.Spec.Template.Metadata.Labels
	public, admin := objects.services["calfacade"], objects.services["calfacade-admin"]
	for name, selector := range map[string]map[string]string{
		"Deployment": objects.deployment.Spec.Selector.MatchLabels, "Service": public.Spec.Selector,
		"admin Service": admin.Spec.Selector, "PodDisruptionBudget": objects.disruptionBudget.Spec.Selector.MatchLabels,
	} {
		if diff := cmp.Diff(pods, selector); diff != "" {
			t.Errorf("%s (-pods +selected):\n%s", name, diff)
		}
	}
	monitor := objects.serviceMonitor.Spec
	if diff := cmp.Diff(admin.Metadata.Labels, monitor.Selector.MatchLabels); diff != "" {
		t.Errorf("ServiceMonitor (-service +selected):\n%s", diff)
	}
	if job := admin.Metadata.Labels[monitor.JobLabel]; job != "calfacade" || monitor.Endpoints[0].Port != admin.Spec.Ports[0].Name {
		t.Errorf("ServiceMonitor: job %q, port %q", job, monitor.Endpoints[0].Port)
	}
	if public.Spec.Ports[0].TargetPort != "http" || admin.Spec.Ports[0].TargetPort != "admin" {
		t.Errorf("target ports %v, %v", public.Spec.Ports, admin.Spec.Ports)
	}
	scaled := objects.autoscaler.Spec
	if scaled.ScaleTargetRef.Kind != "Deployment" || scaled.ScaleTargetRef.Name != objects.deployment.Metadata.Name ||
		scaled.MinReplicas <= objects.disruptionBudget.Spec.MinAvailable ||
		objects.deployment.Spec.Template.Spec.Containers[0].Resources.Requests["cpu"] == "" {
		t.Errorf("HorizontalPodAutoscaler: %+v", scaled)
	}
	c := objects.config(t)
	rule := objects.ingress.Spec.Rules[0]
	if "https://"+rule.Host != c.PublicURL || objects.ingress.Spec.TLS[0].Hosts[0] != rule.Host {
		t.Errorf("the ingress has the host %s, public_url is %s", rule.Host, c.PublicURL)
	}
	var got, want []string
	for _, p := range rule.HTTP.Paths {
		if p.PathType != "Prefix" {
			t.Errorf("%s: path type %s", p.Path, p.PathType)
		}
		if p.Backend.Service.Name == public.Metadata.Name {
			got = append(got, p.Path+" "+p.Backend.Service.Port.Name)
		}
	}
	for _, l := range c.Languages {
		want = append(want, l.Root+"/calendar/events/v1 "+public.Spec.Ports[0].Name)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("paths of the ingress (-languages +ingress):\n%s", diff)
	}
}
