package processtest

// TestToken is the admin.token of tests.
const TestToken = "opensesame-0123456789"
