<?php
/**
 * Plugin Name: calfacade purge
 * Description: Tells a calfacade when events, venues, organizers or their terms change, so that it forgets the answers that show them.
 * Version:     1.0.0
 * License:     MIT
 *
 * SPDX-License-Identifier: MIT
 *
 * Copy this file to wp-content/mu-plugins/ and set in wp-config.php:
 *
 *     define( 'CALFACADE_PURGE_URL', 'http://127.0.0.1:9090/purge' );
 *     define( 'CALFACADE_PURGE_TOKEN', '...' ); // the facade's admin.token
 *
 * Without both it does nothing. What a request changes is collected and told once,
 * at its end, without waiting for an answer. Whether that arrived nobody knows, so
 * WP-Cron tells it again half a minute later and waits; while that fails it tries
 * again, up to CALFACADE_PURGE_TRIES times in about an hour and a half. To hear the
 * same twice costs a facade next to nothing.
 *
 * It needs PHP 7.2 and WordPress 5.5.
 */

defined( 'ABSPATH' ) || exit;

/** Seconds until the first telling that waits. */
const CALFACADE_PURGE_DELAY = 30;

/** How often WP-Cron tries, each time after four times as long. */
const CALFACADE_PURGE_TRIES = 5;

/** Objects past which everything is purged: a request has at most 64 KiB. */
const CALFACADE_PURGE_MOST = 500;

/** What WordPress calls the things that the facade shows, and how the facade does. */
const CALFACADE_PURGE_TYPES = array(
	'tribe_events'     => 'event',
	'tribe_venue'      => 'venue',
	'tribe_organizer'  => 'organizer',
	'tribe_events_cat' => 'category',
	'post_tag'         => 'tag',
);

/** Says that there is somebody to tell. */
function calfacade_purge_on() {
	return defined( 'CALFACADE_PURGE_URL' ) && defined( 'CALFACADE_PURGE_TOKEN' )
		&& '' !== (string) CALFACADE_PURGE_URL && '' !== (string) CALFACADE_PURGE_TOKEN;
}

if ( calfacade_purge_on() ) {
	add_action( 'save_post', 'calfacade_purge_post' );
	add_action( 'trashed_post', 'calfacade_purge_post' );
	add_action( 'untrashed_post', 'calfacade_purge_post' );
	add_action( 'before_delete_post', 'calfacade_purge_post' ); // while its language is still known
	add_action( 'created_term', 'calfacade_purge_term', 10, 3 );
	add_action( 'edited_term', 'calfacade_purge_term', 10, 3 );
	add_action( 'pre_delete_term', 'calfacade_purge_deleted_term', 10, 2 ); // likewise
	add_action( 'shutdown', 'calfacade_purge_flush' );
	add_action( 'calfacade_purge_again', 'calfacade_purge_again', 10, 2 );
}

/**
 * Keeps what this request changes, each thing once.
 *
 * @param array|null $thing What changed; null takes all out.
 * @return array What was taken out.
 */
function calfacade_purge_changes( $thing = null ) {
	static $things = array();
	if ( null !== $thing ) {
		$things[ $thing['type'] . ' ' . $thing['id'] ] = $thing;
		return array();
	}
	$all    = array_values( $things );
	$things = array();
	return $all;
}

/**
 * Notes that a thing has changed.
 *
 * @param string $kind     Post type or taxonomy.
 * @param int    $id       Of the post or term.
 * @param string $language Its code; '' if the site has one language or does not know.
 */
function calfacade_purge_note( $kind, $id, $language ) {
	$thing = array(
		'type' => CALFACADE_PURGE_TYPES[ $kind ],
		'id'   => (int) $id,
	);
	if ( is_string( $language ) && '' !== $language ) {
		$thing['language'] = $language;
	}
	calfacade_purge_changes( $thing );
}

/**
 * Notes a post that is saved, trashed, untrashed or deleted.
 *
 * @param int $id Of the post.
 */
function calfacade_purge_post( $id ) {
	if ( wp_is_post_revision( $id ) || wp_is_post_autosave( $id ) || ( defined( 'DOING_AUTOSAVE' ) && DOING_AUTOSAVE ) ) {
		return;
	}
	$kind = get_post_type( $id );
	if ( ! in_array( $kind, array( 'tribe_events', 'tribe_venue', 'tribe_organizer' ), true ) || 'auto-draft' === get_post_status( $id ) ) {
		return;
	}
	calfacade_purge_note( $kind, $id, calfacade_purge_post_language( $id ) );
}

/**
 * Notes a term that is created or edited.
 *
 * @param int    $id       Of the term.
 * @param int    $tt_id    Of the term in its taxonomy.
 * @param string $taxonomy Its taxonomy.
 */
function calfacade_purge_term( $id, $tt_id, $taxonomy ) {
	if ( in_array( $taxonomy, array( 'tribe_events_cat', 'post_tag' ), true ) ) {
		calfacade_purge_note( $taxonomy, $id, calfacade_purge_term_language( $id, $tt_id, $taxonomy ) );
	}
}

/**
 * Notes a term that is about to be deleted.
 *
 * @param int    $id       Of the term.
 * @param string $taxonomy Its taxonomy.
 */
function calfacade_purge_deleted_term( $id, $taxonomy ) {
	$term = get_term( $id, $taxonomy );
	if ( $term instanceof WP_Term ) {
		calfacade_purge_term( $term->term_id, $term->term_taxonomy_id, $taxonomy );
	}
}

/**
 * Gives the language of a post by WPML or Polylang; '' if neither knows it.
 *
 * @param int $id Of the post.
 * @return string
 */
function calfacade_purge_post_language( $id ) {
	if ( function_exists( 'pll_get_post_language' ) ) {
		return (string) pll_get_post_language( $id, 'slug' );
	}
	$details = apply_filters( 'wpml_post_language_details', null, $id );
	return is_array( $details ) && isset( $details['language_code'] ) ? (string) $details['language_code'] : '';
}

/**
 * Gives the language of a term likewise.
 *
 * @param int    $id       Of the term.
 * @param int    $tt_id    Of the term in its taxonomy.
 * @param string $taxonomy Its taxonomy.
 * @return string
 */
function calfacade_purge_term_language( $id, $tt_id, $taxonomy ) {
	if ( function_exists( 'pll_get_term_language' ) ) {
		return (string) pll_get_term_language( $id, 'slug' );
	}
	$code = apply_filters(
		'wpml_element_language_code',
		null,
		array(
			'element_id'   => $tt_id,
			'element_type' => $taxonomy,
		)
	);
	return is_string( $code ) ? $code : '';
}

/** Tells at the end of the request what it has changed. */
function calfacade_purge_flush() {
	$things = calfacade_purge_changes();
	if ( array() === $things ) {
		return;
	}
	$body = count( $things ) > CALFACADE_PURGE_MOST ? array( 'all' => true ) : array( 'objects' => $things );
	$json = wp_json_encode( $body );
	calfacade_purge_send( $json, false );
	wp_schedule_single_event( time() + CALFACADE_PURGE_DELAY, 'calfacade_purge_again', array( $json, 1 ) );
}

/**
 * Tells it once more and waits; WP-Cron calls it.
 *
 * @param string $json The body.
 * @param int    $try  Which try this is, from 1.
 */
function calfacade_purge_again( $json, $try ) {
	$status = calfacade_purge_send( $json, true );
	if ( 200 === $status ) {
		return;
	}
	// What is refused is refused the next time too.
	$refused = $status >= 400 && $status < 500 && 429 !== $status;
	if ( $refused || $try >= CALFACADE_PURGE_TRIES ) {
		// phpcs:ignore WordPress.PHP.DevelopmentFunctions.error_log_error_log
		error_log( sprintf( 'calfacade: a purge failed with status %d (0 is no answer) in try %d; answers may be old until they expire.', $status, $try ) );
		return;
	}
	wp_schedule_single_event( time() + intdiv( CALFACADE_PURGE_DELAY * 4 ** $try, 2 ), 'calfacade_purge_again', array( $json, $try + 1 ) );
}

/**
 * Sends a purge.
 *
 * @param string $json The body.
 * @param bool   $wait For the answer.
 * @return int The status; 0 for no answer, or none waited for.
 */
function calfacade_purge_send( $json, $wait ) {
	$response = wp_remote_post(
		CALFACADE_PURGE_URL,
		array(
			'body'        => $json,
			'headers'     => array(
				'Authorization' => 'Bearer ' . CALFACADE_PURGE_TOKEN,
				'Content-Type'  => 'application/json',
			),
			'blocking'    => $wait,
			'timeout'     => $wait ? 5 : 1, // curl, under WordPress, waits for this long either way
			'redirection' => 0, // nobody else gets the token
		)
	);
	return is_wp_error( $response ) ? 0 : (int) wp_remote_retrieve_response_code( $response );
}
