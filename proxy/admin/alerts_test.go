package admin

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/calfacade/calfacade/proxy/telemetry"
)

// TestAlertLimits: the status page and the alerts report the same state as a fault.
func TestAlertLimits(t *testing.T) {
	alerts, err := os.ReadFile("../../docs/deploy/prometheus/alerts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, limit := range []string{
		fmt.Sprintf(`rate(calfacade_requests_total{job="calfacade"}[5m])) > %.2f`, failedShare/100.0),
		fmt.Sprintf(`calfacade_onward_lag_seconds{job="calfacade"}) > %d`, lateAfter),
		fmt.Sprintf(`error=~"connect|timeout|broken"}[2m])) >= %d`, downAfter),
		fmt.Sprintf(`- time() < %d * 86400`, telemetry.CertificateRenewal/(24*time.Hour)),
	} {
		if !strings.Contains(string(alerts), limit+"\n") && !strings.Contains(string(alerts), limit+" and ") {
			t.Errorf("no alert has %s", limit)
		}
	}
}
