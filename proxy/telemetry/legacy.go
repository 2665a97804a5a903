package telemetry

// LegacyRequest counts a request in the legacy's own namespace. family is one of a fixed list,
// resource one of the table's, or "" for none.
func (m *Metrics) LegacyRequest(family, resource, method string, refused bool) {
	if m == nil {
		return
	}
	result := "served"
	if refused {
		result = "refused"
	}
	if resource == "" {
		resource = NoEndpoint
	}
	m.legacy.WithLabelValues(family, resource, MethodLabel(method), result).Inc()
}
