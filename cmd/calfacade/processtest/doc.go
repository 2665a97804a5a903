// Package processtest has what tests of several subjects need to run calfacade: configurations, sites and a Redis.
package processtest
