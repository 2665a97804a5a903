// Package dates reads the dates that the legacy reads, with PHP's strtotime, and brings those
// that name a day or a time to one canonical form each. The package knows no parameters and reads no
// clock.
//
//	2026-11-21                       a day in the zone of the site
//	2026-11-21 10:00:00              a time in the zone of the site
//	2026-11-21T10:00:00+01:00        an instant, with an offset
//	2026-11-21 10:00:00 Europe/Rome  an instant, with a zone
//	1798761600                       seconds since 1970 (a plain number is never a year)
//
// Other forms of these are 21-11-2026, 11/21/2026, 20261121T100000, Sat Nov 21 2026, 2026-11 (the
// first day of the month), 2026-W47 (the Monday), 10 am and 24:00 (the midnight that ends the day).
//
// A date that depends on the time of reading (now, 10:00, +1 week, next monday) is passed on
// unchanged if strtotime knows every word. The case is preserved: PHP reads GMT+2 and
// gmt+2 as different hours. [At] reads those with a zone, and takes the time of reading.
//
// Start with [Parse].
package dates
