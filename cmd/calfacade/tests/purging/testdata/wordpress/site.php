<?php
/**
 * As much of WordPress as calfacade-purge.php uses. It plays the scenes of
 * standard input, a JSON list of lists of [action, arguments...]: each scene is a
 * request, which ends with "shutdown". An action that begins with "=" changes the
 * site instead, and "= at the end" is an action that another plugin adds to
 * "shutdown". "= cron" runs what is scheduled, due or not, "= meanwhile" makes another
 * request add a pending purge while the next one is sent, and "= stored" prints what the
 * plugin stores. It prints a line for each purge that is sent, with its timeout, and each
 * event that is scheduled, and a line of -- after each scene.
 *
 * PURGE_PLUGINS names what else is installed: cli, fpm, polylang, series, wpml.
 */

define( 'ABSPATH', '/' );
if ( '' !== getenv( 'PURGE_URL' ) ) {
	define( 'CALFACADE_PURGE_URL', getenv( 'PURGE_URL' ) );
	define( 'CALFACADE_PURGE_TOKEN', getenv( 'PURGE_TOKEN' ) );
}
$plugins = explode( ' ', (string) getenv( 'PURGE_PLUGINS' ) );

/** Posts by id: type, status, language. */
$posts = array(
	1   => array( 'post', 'publish', 'en' ),
	9   => array( 'tribe_organizer', 'publish', '' ),
	12  => array( 'tribe_events', 'publish', 'es' ),
	13  => array( 'tribe_events', 'auto-draft', 'es' ),
	14  => array( 'revision', 'inherit', 'es' ),
	15  => array( 'tribe_events', 'publish', 'es' ), // recurs
	55  => array( 'tribe_venue', 'trash', 'de' ),
	60  => array( 'tribe_event_series', 'publish', 'es' ),
	61  => array( 'tribe_event_series', 'auto-draft', 'es' ),
	70  => array( 'attachment', 'inherit', '' ), // the image of 12 and 55
	212 => array( 'tribe_events', 'publish', 'en' ), // the translation of 12
);
/** Terms by id: taxonomy, language. Their ids in the taxonomy are 1000 above. */
$terms = array(
	3  => array( 'tribe_events_cat', 'es' ),
	4  => array( 'post_tag', '' ),
	5  => array( 'tribe_events_cat', 'es' ),
	6  => array( 'tribe_events_cat', 'en' ), // the translation of 5
	7  => array( '', 'fr' ), // was one, and is gone
	8  => array( 'category', 'es' ),
	15 => array( 'post_tag', '' ),
);
/** Translations of each other, by WPML's number of the group. */
$translations = array(
	1 => array( 'post_tribe_events', array( 12, 212 ) ),
	2 => array( 'post_tribe_venue', array( 55 ) ),
	3 => array( 'tax_tribe_events_cat', array( 3 ) ),
	4 => array( 'tax_tribe_events_cat', array( 5, 6, 7 ) ),
	5 => array( 'post_tribe_events', array( 15 ) ),
);
/** Which image posts have, and meta ids of that. */
$images = array(
	31 => array( 12, 70 ),
	32 => array( 55, 70 ),
	33 => array( 1, 70 ),
	34 => array( 0, 70 ),
);
for ( $i = 0; $i < 200; $i++ ) {
	$images[ 1000 + $i ] = array( 2000 + $i, 71 );
}
$hooks = array();

class WP_Term {
	public $term_id;
	public $taxonomy;
	public function __construct( $id ) {
		$this->term_id  = $id;
		$this->taxonomy = $GLOBALS['terms'][ $id ][0];
	}
}

/** Understands the plugin's queries and no others. */
class Stub_WPDB {
	public $postmeta      = 'wp_postmeta';
	public $posts         = 'wp_posts';
	public $term_taxonomy = 'wp_term_taxonomy';
	public function prepare( $query, ...$values ) {
		return vsprintf( str_replace( '%s', "'%s'", $query ), $values );
	}
	public function get_var( $query ) {
		if ( preg_match( "/^SELECT term_taxonomy_id FROM wp_term_taxonomy WHERE term_id = (\\d+) AND taxonomy = '(\\w+)'$/", $query, $is ) ) {
			return $this->in_taxonomy( (int) $is[1], $is[2] ) ? (string) ( $is[1] + 1000 ) : null;
		}
		if ( preg_match( "/^SELECT term_id FROM wp_term_taxonomy WHERE term_taxonomy_id = (\\d+) AND taxonomy = '(\\w+)'$/", $query, $is ) ) {
			return $this->in_taxonomy( $is[1] - 1000, $is[2] ) ? (string) ( $is[1] - 1000 ) : null;
		}
		throw new Exception( $query );
	}
	public function get_results( $query ) {
		if ( ! preg_match( "/^SELECT p.ID, p.post_type FROM wp_posts p JOIN wp_postmeta m ON m.post_id = p.ID WHERE m.meta_key = '_thumbnail_id' AND m.meta_value IN \\('([\\d',]+)'\\) AND p.post_type IN \\('tribe_events','tribe_organizer','tribe_venue'\\) LIMIT (\\d+)$/", $query, $is ) ) {
			throw new Exception( $query );
		}
		$rows = array();
		foreach ( $GLOBALS['images'] as $image ) {
			if ( in_array( (string) $image[1], explode( "','", $is[1] ), true ) && $image[0] && 'post' !== get_post_type( $image[0] ) ) {
				$rows[] = (object) array(
					'ID'        => (string) $image[0],
					'post_type' => get_post_type( $image[0] ),
				);
			}
		}
		return array_slice( $rows, 0, (int) $is[2] );
	}
	private function in_taxonomy( $id, $taxonomy ) {
		return ( $GLOBALS['terms'][ $id ][0] ?? '' ) === $taxonomy;
	}
}
$wpdb = new Stub_WPDB();

function say( ...$parts ) {
	echo implode( ' ', $parts ), "\n";
}
function add_action( $hook, $callback, $priority = 10, $arguments = 1 ) {
	$GLOBALS['hooks'][ $hook ][ $priority ][] = array( $callback, $arguments );
	ksort( $GLOBALS['hooks'][ $hook ] );
}
function do_action( $hook, ...$arguments ) {
	foreach ( array_merge( ...array_values( $GLOBALS['hooks'][ $hook ] ?? array() ) ) as $h ) {
		$h[0]( ...array_slice( $arguments, 0, $h[1] ) );
	}
}
function get_post_type( $id ) {
	if ( $id > 1000000000 ) { // for requests as large as they get
		return array( 'tribe_events', 'tribe_organizer', 'tribe_venue' )[ intdiv( $id, 100000000 ) % 10 ];
	}
	return $GLOBALS['posts'][ $id ][0] ?? ( $id > 1000 || 0 === $id ? 'tribe_events' : false );
}
function post( $id, $type, $status ) {
	return (object) array(
		'ID'          => $id,
		'post_type'   => $type,
		'post_status' => $status,
	);
}
function get_post_status( $id ) {
	return $GLOBALS['posts'][ $id ][1] ?? 'publish';
}
function get_term( $id ) {
	return isset( $GLOBALS['terms'][ $id ] ) ? new WP_Term( $id ) : null;
}
function get_metadata_by_mid( $type, $mid ) {
	return isset( $GLOBALS['images'][ $mid ] ) ? (object) array( 'post_id' => (string) $GLOBALS['images'][ $mid ][0] ) : false;
}
function has_filter( $name ) {
	return 'wpml_element_trid' === $name && in_array( 'wpml', $GLOBALS['plugins'], true );
}
function apply_filters( $name, $value, ...$about ) {
	if ( 'site_status_tests' === $name ) {
		return $GLOBALS['hooks'][ $name ][10][0][0]( $value );
	}
	if ( 'calfacade_purge_meta' === $name ) {
		return $value || '_of_the_site' === $about[0];
	}
	if ( ! has_filter( 'wpml_element_trid' ) ) {
		return $value;
	}
	if ( 'wpml_element_trid' === $name ) {
		foreach ( $GLOBALS['translations'] as $trid => $group ) {
			$term = 0 === strpos( $group[0], 'tax_' );
			$id   = (int) ( $term ? $about[0] - 1000 : $about[0] );
			if ( $about[1] === $group[0] && in_array( $id, $group[1], true ) && isset( $GLOBALS[ $term ? 'terms' : 'posts' ][ $id ] ) ) {
				return (string) $trid;
			}
		}
		return null;
	}
	if ( 'wpml_get_element_translations' === $name ) {
		$about += array( 0, '', false, false );
		list( $type, $ids ) = $GLOBALS['translations'][ $about[0] ];
		$found              = array();
		foreach ( $ids as $id ) {
			$term = 0 === strpos( $type, 'tax_' );
			if ( ! $term && 'publish' !== get_post_status( $id ) && ! $about[3] ) {
				continue; // as for a visitor
			}
			$code           = $term ? $GLOBALS['terms'][ $id ][1] : $GLOBALS['posts'][ $id ][2];
			$found[ $code ] = (object) array(
				'language_code' => $code,
				'element_id'    => (string) ( $term ? $id + 1000 : $id ),
			);
		}
		return $found;
	}
	return $value;
}
if ( in_array( 'polylang', $plugins, true ) ) {
	function pll_get_post_language( $id, $field ) {
		return 'slug' === $field && '' !== ( $GLOBALS['posts'][ $id ][2] ?? '' ) ? $GLOBALS['posts'][ $id ][2] : ( $id > 1000000000 ? 'zh-hans' : false );
	}
	function pll_get_term_language( $id, $field ) {
		return 'slug' === $field && '' !== ( $GLOBALS['terms'][ $id ][1] ?? '' ) ? $GLOBALS['terms'][ $id ][1] : ( $id > 1000000000 ? 'zh-hans' : false );
	}
	function forget_post( $id ) {
		$GLOBALS['posts'][ $id ][2] = '';
	}
	function forget_term( $id ) {
		$GLOBALS['terms'][ $id ][1] = '';
	}
	add_action( 'before_delete_post', 'forget_post' );
	add_action( 'pre_delete_term', 'forget_term' );
}
if ( in_array( 'series', $plugins, true ) ) {
	function tribe_is_recurring_event( $id ) {
		return 15 === $id;
	}
}
if ( in_array( 'fpm', $plugins, true ) ) {
	function fastcgi_finish_request() {
		say( 'the visitor has the page' );
		return true;
	}
}
function wp_json_encode( $v ) {
	return json_encode( $v );
}
/** The table of options: name, [serialized value, autoload]. */
$options = array();
/** WordPress's object cache, which lasts for a request. */
$cache = array();
function wp_cache_delete( $key, $group ) {
	unset( $GLOBALS['cache'][ "$group:$key" ] );
}
function get_option( $name, $default = false ) {
	$GLOBALS['cache'][ "options:$name" ] = $GLOBALS['cache'][ "options:$name" ] ?? $GLOBALS['options'][ $name ][0] ?? null;
	$value                               = $GLOBALS['cache'][ "options:$name" ];
	return null === $value ? $default : unserialize( $value );
}
function update_option( $name, $value, $autoload = null ) {
	$old = get_option( $name );
	if ( $old === $value ) {
		return false; // and autoload stays
	}
	$was                                 = $GLOBALS['options'][ $name ][1] ?? 'yes';
	$GLOBALS['options'][ $name ]         = array( serialize( $value ), null === $autoload ? $was : ( $autoload ? 'yes' : 'no' ) );
	$GLOBALS['cache'][ "options:$name" ] = serialize( $value );
	return true;
}
function delete_option( $name ) {
	unset( $GLOBALS['options'][ $name ], $GLOBALS['cache'][ "options:$name" ] );
}
$cron = array();
function wp_next_scheduled( $hook, $args = array() ) {
	foreach ( $GLOBALS['cron'] as $at => $hooks ) {
		if ( isset( $hooks[ $hook ][ md5( serialize( $args ) ) ] ) ) {
			return $at;
		}
	}
	return false;
}
function wp_clear_scheduled_hook( $hook, $args = array() ) {
	foreach ( array_keys( $GLOBALS['cron'] ) as $at ) {
		unset( $GLOBALS['cron'][ $at ][ $hook ][ md5( serialize( $args ) ) ] );
	}
}
function wp_unschedule_hook( $hook ) {
	foreach ( array_keys( $GLOBALS['cron'] ) as $at ) {
		unset( $GLOBALS['cron'][ $at ][ $hook ] );
	}
}
function wp_schedule_single_event( $at, $hook, $args = array() ) {
	foreach ( $GLOBALS['cron'] as $other => $hooks ) {
		if ( isset( $hooks[ $hook ][ md5( serialize( $args ) ) ] ) && abs( $at - $other ) <= 600 ) {
			say( 'duplicate event' );
			return false;
		}
	}
	$GLOBALS['cron'][ $at ][ $hook ][ md5( serialize( $args ) ) ] = array( 'args' => $args );
	ksort( $GLOBALS['cron'] );
	say( 'in', round( $at - time(), -1 ), $hook, ...$args ); // a second may have begun since
	return true;
}
function run_cron() {
	$crons           = $GLOBALS['cron'];
	$GLOBALS['cron'] = array();
	foreach ( $crons as $hooks ) {
		foreach ( $hooks as $hook => $events ) {
			foreach ( $events as $event ) {
				do_action( $hook, ...$event['args'] );
			}
		}
	}
}
function stored() {
	foreach ( $GLOBALS['options'] as $name => $row ) {
		say( $name, $row[1], 'calfacade_purge_pending' === $name ? count( unserialize( $row[0] ) ) : '' );
	}
	foreach ( $GLOBALS['cron'] as $hooks ) {
		foreach ( $hooks as $hook => $events ) {
			say( ...array_fill( 0, count( $events ), $hook ) );
		}
	}
}
function add_filter( ...$filter ) {
	add_action( ...$filter );
}
function register_activation_hook( $file, $callback ) {
	add_action( 'activate', $callback );
}
function register_uninstall_hook( $file, $callback ) {
	add_action( 'uninstall', $callback );
}
function esc_html( $text ) {
	return htmlspecialchars( $text, ENT_QUOTES );
}
if ( in_array( 'cli', $plugins, true ) ) {
	define( 'WP_CLI', true );
	class WP_CLI {
		public static function add_command( $name, $callback ) {
			add_action( "wp $name", $callback );
		}
		public static function log( $line ) {
			say( preg_replace( '/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/', 'TIME', $line ) );
		}
		public static function success( $line ) {
			say( 'Success:', $line );
		}
		public static function warning( $line ) {
			say( 'Warning:', $line );
		}
		public static function error( $line ) {
			say( 'Error:', $line ); // and exits with 1
		}
	}
}
class WP_Error {
	private $message;
	public function __construct( $message ) {
		$this->message = $message;
	}
	public function get_error_message() {
		return $this->message;
	}
}
function is_wp_error( $v ) {
	return $v instanceof WP_Error;
}
function wp_remote_retrieve_response_code( $response ) {
	return is_wp_error( $response ) ? '' : $response['code'];
}
$meanwhile = array();
function wp_remote_post( $url, $o ) {
	say( 'POST', $o['timeout'], strlen( $o['body'] ) > 10000 ? 'much' : $o['body'] );
	$headers = '';
	foreach ( $o['headers'] as $name => $value ) {
		$headers .= "$name: $value\r\n";
	}
	$http   = array(
		'method'          => 'POST',
		'header'          => $headers,
		'content'         => $o['body'],
		'timeout'         => $o['timeout'],
		'follow_location' => 0,
		'ignore_errors'   => true,
	);
	$answer = @file_get_contents( $url, false, stream_context_create( array( 'http' => $http ) ) );
	foreach ( $GLOBALS['meanwhile'] as $json ) {
		$pending = unserialize( $GLOBALS['options']['calfacade_purge_pending'][0] ?? 'a:0:{}' );
		// Not update_option(): the cache of this request does not see what another one stores.
		$GLOBALS['options']['calfacade_purge_pending'] = array( serialize( $pending + array( time() . "-$json" => $json ) ), 'no' );
	}
	$GLOBALS['meanwhile'] = array();
	if ( false === $answer ) {
		return new WP_Error( error_get_last()['message'] . ' ' . $headers ); // the worst that a transport may put into it
	}
	say( 'answer', strlen( $answer ) > 10000 ? 'much' : trim( $answer ) );
	return array( 'code' => (int) explode( ' ', $http_response_header[0] )[1] );
}

require dirname( __DIR__, 6 ) . '/docs/deploy/wordpress/calfacade-purge.php';

$late = array();
add_action(
	'shutdown',
	function () {
		foreach ( $GLOBALS['late'] as $action ) {
			do_action( ...$action );
		}
		$GLOBALS['late'] = array();
	},
	1000
);

foreach ( json_decode( stream_get_contents( STDIN ), true ) as $scene ) {
	$site  = array( $posts, $terms );
	$cache = array();
	foreach ( $scene as $action ) {
		switch ( $action[0] ) {
			case '= no post':
				unset( $posts[ $action[1] ] );
				break;
			case '= language of post':
				$posts[ $action[1] ][2] = $action[2];
				break;
			case '= cron':
				run_cron();
				break;
			case '= meanwhile':
				$meanwhile[] = $action[1];
				break;
			case '= scheduled': // by version 2.0.0
				wp_schedule_single_event( ...array_slice( $action, 1 ) );
				break;
			case '= failing since':
				$options['calfacade_purge_pending'] = array( serialize( array( ( time() - $action[1] ) . '-x' => $action[2] ) ), 'no' );
				break;
			case '= stored':
				stored();
				break;
			case '= health':
				foreach ( apply_filters( 'site_status_tests', array( 'direct' => array() ) )['direct'] as $test ) {
					$result = call_user_func( $test['test'] );
					say( $result['status'], $result['label'], preg_replace( '/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/', 'TIME', $result['description'] ) );
				}
				break;
			case '= at the end':
				$late[] = array_slice( $action, 1 );
				break;
			case '= language of term':
				$terms[ $action[1] ][1] = $action[2];
				break;
			case '= type of post':
				$posts[ $action[1] ][0] = $action[2];
				break;
			case 'post_updated': // from a type, which get_post_type() no longer tells
				list( , $id, $type, $status ) = $action + array( 3 => get_post_status( $action[1] ) );
				do_action( 'post_updated', $id, post( $id, get_post_type( $id ), get_post_status( $id ) ), post( $id, $type, $status ) );
				break;
			case 'transition_post_status':
				$action[3] = (object) array( 'ID' => $action[3] );
				// Fall through.
			default:
				do_action( ...$action );
		}
	}
	do_action( 'shutdown' );
	list( $posts, $terms ) = $site;
	say( '--' );
}
