<?php
/**
 * As much of WordPress as calfacade-purge.php uses. It plays the scenes of
 * standard input, a JSON list of lists of [action, arguments...]: each scene is a
 * request, which ends with "shutdown". It prints a line for each purge that is
 * sent and each event that is scheduled, and a line of -- after each scene.
 */

define( 'ABSPATH', '/' );
if ( '' !== getenv( 'PURGE_URL' ) ) {
	define( 'CALFACADE_PURGE_URL', getenv( 'PURGE_URL' ) );
	define( 'CALFACADE_PURGE_TOKEN', getenv( 'PURGE_TOKEN' ) );
}

/** Posts by id: type, status, language, revision of. */
$posts = array(
	1  => array( 'post', 'publish', 'en', 0 ),
	9  => array( 'tribe_organizer', 'publish', '', 0 ),
	12 => array( 'tribe_events', 'publish', 'es', 0 ),
	13 => array( 'tribe_events', 'auto-draft', 'es', 0 ),
	14 => array( 'tribe_events', 'inherit', 'es', 12 ),
	55 => array( 'tribe_venue', 'trash', 'de', 0 ),
);
$hooks = array();

class WP_Term {
	public $term_id;
	public $term_taxonomy_id;
	public function __construct( $id ) {
		$this->term_id          = $id;
		$this->term_taxonomy_id = $id + 1000;
	}
}

function say( ...$parts ) {
	echo implode( ' ', $parts ), "\n";
}
function add_action( $hook, $callback, $priority = 10, $arguments = 1 ) {
	$GLOBALS['hooks'][ $hook ][] = array( $callback, $arguments );
}
function do_action( $hook, ...$arguments ) {
	foreach ( $GLOBALS['hooks'][ $hook ] ?? array() as $h ) {
		$h[0]( ...array_slice( $arguments, 0, $h[1] ) );
	}
}
function wp_is_post_revision( $id ) {
	return $GLOBALS['posts'][ $id ][3] ?? 0;
}
function wp_is_post_autosave( $id ) {
	return false;
}
function get_post_type( $id ) {
	return $GLOBALS['posts'][ $id ][0] ?? ( $id > 1000 ? 'tribe_events' : false );
}
function get_post_status( $id ) {
	return $GLOBALS['posts'][ $id ][1] ?? 'publish';
}
function get_term( $id, $taxonomy ) {
	return 404 === $id ? null : new WP_Term( $id );
}
function apply_filters( $name, $value, $about ) {
	if ( 'wpml_post_language_details' === $name && '' !== ( $GLOBALS['posts'][ $about ][2] ?? '' ) ) {
		return array( 'language_code' => $GLOBALS['posts'][ $about ][2] );
	}
	if ( 'wpml_element_language_code' === $name && 1003 === $about['element_id'] ) {
		return 'es';
	}
	return $value;
}
function wp_json_encode( $v ) {
	return json_encode( $v );
}
function wp_schedule_single_event( $at, $hook, $arguments ) {
	say( 'in', $at - time(), $hook, $arguments[0], $arguments[1] );
}
function is_wp_error( $v ) {
	return null === $v;
}
function wp_remote_retrieve_response_code( $response ) {
	return $response['code'];
}
function wp_remote_post( $url, $o ) {
	say( 'POST', $o['blocking'] ? 'waiting' : 'going', strlen( $o['body'] ) > 500 ? 'much' : $o['body'] );
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
	if ( ! $o['blocking'] ) {
		return array( 'code' => '' ); // whatever came of it
	}
	if ( false === $answer ) {
		return null;
	}
	say( 'answer', trim( $answer ) );
	return array( 'code' => (int) explode( ' ', $http_response_header[0] )[1] );
}

require dirname( __DIR__ ) . '/calfacade-purge.php';

foreach ( json_decode( stream_get_contents( STDIN ) ) as $scene ) {
	foreach ( $scene as $action ) {
		do_action( ...$action );
	}
	do_action( 'shutdown' );
	say( '--' );
}
