package deploying_test

// objectHead begins each Kubernetes object.
type objectHead struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string
	Metadata   struct {
		Name                string
		Labels, Annotations map[string]string
	}
}

// labels is a selector.
type labels struct {
	MatchLabels map[string]string `yaml:"matchLabels"`
}

// The kinds of objects, with the fields that the manifests have and no others: a field that
// is misspelled is an error.
type (
	configMap struct {
		objectHead `yaml:",inline"`
		Data       map[string]string
	}
	deployment struct {
		objectHead `yaml:",inline"`
		Spec       struct {
			Replicas int
			Selector labels
			Strategy struct {
				RollingUpdate struct {
					MaxUnavailable int `yaml:"maxUnavailable"`
					MaxSurge       int `yaml:"maxSurge"`
				} `yaml:"rollingUpdate"`
			}
			Template struct {
				Metadata struct{ Labels map[string]string }
				Spec     podSpec
			}
		}
	}
	kubeService struct {
		objectHead `yaml:",inline"`
		Spec       struct {
			ClusterIP                string `yaml:"clusterIP"`
			PublishNotReadyAddresses bool   `yaml:"publishNotReadyAddresses"`
			Selector                 map[string]string
			Ports                    []struct {
				Name       string
				Port       int
				TargetPort string `yaml:"targetPort"`
			}
		}
	}
	disruptionBudget struct {
		objectHead `yaml:",inline"`
		Spec       struct {
			MinAvailable int `yaml:"minAvailable"`
			Selector     labels
		}
	}
	ingress struct {
		objectHead `yaml:",inline"`
		Spec       struct {
			IngressClassName string `yaml:"ingressClassName"`
			TLS              []struct {
				Hosts      []string
				SecretName string `yaml:"secretName"`
			}
			Rules []struct {
				Host string
				HTTP struct {
					Paths []struct {
						Path     string
						PathType string `yaml:"pathType"`
						Backend  struct {
							Service struct {
								Name string
								Port struct{ Name string }
							}
						}
					}
				}
			}
		}
	}
	autoscaler struct {
		objectHead `yaml:",inline"`
		Spec       struct {
			ScaleTargetRef struct {
				APIVersion string `yaml:"apiVersion"`
				Kind, Name string
			} `yaml:"scaleTargetRef"`
			MinReplicas int `yaml:"minReplicas"`
			MaxReplicas int `yaml:"maxReplicas"`
			Metrics     []struct {
				Type     string
				Resource struct {
					Name   string
					Target struct {
						Type               string
						AverageUtilization int `yaml:"averageUtilization"`
					}
				}
			}
			Behavior struct {
				ScaleDown struct {
					StabilizationWindowSeconds int `yaml:"stabilizationWindowSeconds"`
				} `yaml:"scaleDown"`
			}
		}
	}
	serviceMonitor struct {
		objectHead `yaml:",inline"`
		Spec       struct {
			JobLabel  string `yaml:"jobLabel"`
			Selector  labels
			Endpoints []struct{ Port, Path, Interval string }
		}
	}
)

type podSpec struct {
	EnableServiceLinks            *bool          `yaml:"enableServiceLinks"`
	AutomountServiceAccountToken  *bool          `yaml:"automountServiceAccountToken"`
	TerminationGracePeriodSeconds int            `yaml:"terminationGracePeriodSeconds"`
	SecurityContext               map[string]any `yaml:"securityContext"`
	Volumes                       []map[string]any
	Containers                    []struct {
		Name, Image string
		Ports       []struct {
			Name          string
			ContainerPort string `yaml:"containerPort"`
		}
		Env     []struct{ Name, Value string }
		EnvFrom []struct {
			SecretRef struct{ Name string } `yaml:"secretRef"`
		} `yaml:"envFrom"`
		VolumeMounts    []map[string]any `yaml:"volumeMounts"`
		SecurityContext map[string]any   `yaml:"securityContext"`
		LivenessProbe   healthProbe      `yaml:"livenessProbe"`
		ReadinessProbe  healthProbe      `yaml:"readinessProbe"`
		Resources       struct{ Requests, Limits map[string]string }
	}
}

type healthProbe struct {
	HTTPGet       struct{ Path, Port string } `yaml:"httpGet"`
	PeriodSeconds int                         `yaml:"periodSeconds"`
}
