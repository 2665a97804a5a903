<?php
/**
 * Plugin Name: calfacade purge
 * Description: Purges responses from calfacade when the events, venues, organizers, categories or tags that they show change.
 * Version:     2.1.0
 * License:     MIT
 *
 * SPDX-License-Identifier: MIT
 *
 * Copy this file to wp-content/mu-plugins/ and set in wp-config.php:
 *
 *     define( 'CALFACADE_PURGE_URL', 'http://127.0.0.1:9090/purge' );
 *     define( 'CALFACADE_PURGE_TOKEN', '...' ); // the facade's admin.purge_token
 *
 * Without both it purges nothing. All changes of one PHP request are one purge, sent at
 * its end; under PHP-FPM and LiteSpeed the visitor has the page by then. It costs a request
 * at most a second. A purge that fails is pending: WP-Cron sends it again after half a
 * minute, then after as long as it has been pending, and at least once an hour. A purge that
 * arrives twice costs calfacade almost nothing. Site Health and `wp calendar-purge status`
 * report what is pending. docs/caching.md describes what is purged.
 *
 * It needs PHP 7.4 and WordPress 5.5, and no other plugin. It is one file because WordPress
 * does not look for must-use plugins in directories.
 */

defined( 'ABSPATH' ) || exit;

/** Seconds until WP-Cron sends a pending purge for the first time. */
const CALFACADE_PURGE_DELAY = 30;

/** Maximum number of items of one type in a purge; beyond it, the purge covers every item of the type. calfacade accepts 64 KiB. */
const CALFACADE_PURGE_MOST = 150;

/** Maximum number of pending purges, and of their KiB. */
const CALFACADE_PURGE_PENDING = 100;

/** The body of a purge of everything. */
const CALFACADE_PURGE_ALL = '{"all":true}';

/** Post types that responses show, and their type in a purge. */
const CALFACADE_PURGE_POSTS = array(
	'tribe_events'    => 'event',
	'tribe_organizer' => 'organizer',
	'tribe_venue'     => 'venue',
);

/** Taxonomies that responses show, and their type in a purge. */
const CALFACADE_PURGE_TERMS = array(
	'post_tag'         => 'tag',
	'tribe_events_cat' => 'category',
);

/** Meta keys that responses show. Others are written by an open editor, or for each visitor of a page. */
const CALFACADE_PURGE_META = '/^_(Event|Organizer|Venue|ecp_custom_|thumbnail_id$|tribe_)/';

/** Options that all responses depend on. */
const CALFACADE_PURGE_OPTIONS = array(
	'WPLANG',
	'active_plugins',
	'gmt_offset',
	'home',
	'permalink_structure',
	'polylang',
	'siteurl',
	'tag_base',
	'timezone_string',
	'tribe_events_calendar_options',
	'trp_settings',
	'upload_path',
	'upload_url_path',
);

/** Members of tribe_events_calendar_options that change with each save of an event. */
const CALFACADE_PURGE_NO_SETTINGS = array(
	'earliest_date'         => true,
	'earliest_date_markers' => true,
	'latest_date'           => true,
	'latest_date_markers'   => true,
);

/** Hooks, each with its callback and the number of arguments that the callback accepts. */
const CALFACADE_PURGE_HOOKS = array(
	'added_option'                               => array( 'calfacade_purge_option', 1 ),
	'added_post_meta'                            => array( 'calfacade_purge_meta', 3 ),
	'before_delete_post'                         => array( 'calfacade_purge_post', 1 ),
	'clean_post_cache'                           => array( 'calfacade_purge_post', 1 ), // after SQL that bypasses the other hooks
	'clean_term_cache'                           => array( 'calfacade_purge_cleaned', 3 ), // the same, and after counting
	'created_term'                               => array( 'calfacade_purge_term', 3 ),
	'delete_post_meta'                           => array( 'calfacade_purge_meta', 3 ),
	'deleted_option'                             => array( 'calfacade_purge_option', 1 ),
	'deleted_term_relationships'                 => array( 'calfacade_purge_related', 3 ),
	'edited_term'                                => array( 'calfacade_purge_term', 3 ),
	'icl_after_set_default_language'             => array( 'calfacade_purge_all', 0 ),
	'pll_add_language'                           => array( 'calfacade_purge_all', 0 ),
	'pll_save_post'                              => array( 'calfacade_purge_post', 1 ),
	'pll_save_term'                              => array( 'calfacade_purge_terms', 2 ),
	'pll_update_default_lang'                    => array( 'calfacade_purge_all', 0 ),
	'pll_update_language'                        => array( 'calfacade_purge_all', 0 ),
	'post_updated'                               => array( 'calfacade_purge_updated', 3 ),
	'pre_delete_term'                            => array( 'calfacade_purge_terms', 2 ),
	'save_post'                                  => array( 'calfacade_purge_post', 1 ),
	'set_object_terms'                           => array( 'calfacade_purge_set_terms', 6 ),
	'split_shared_term'                          => array( 'calfacade_purge_split', 4 ),
	'tec_events_custom_tables_v1_after_save_occurrences' => array( 'calfacade_purge_post', 1 ),
	'tec_events_pro_custom_tables_v1_event_relationship_updated' => array( 'calfacade_purge_post', 1 ),
	'tec_events_pro_custom_tables_v1_series_relationships_updated' => array( 'calfacade_purge_post', 1 ),
	'transition_post_status'                     => array( 'calfacade_purge_status', 3 ),
	'trashed_post'                               => array( 'calfacade_purge_post', 1 ),
	'trp_save_editor_translations_gettext_strings' => array( 'calfacade_purge_all', 0 ),
	'trp_save_editor_translations_regular_strings' => array( 'calfacade_purge_all', 0 ),
	'untrashed_post'                             => array( 'calfacade_purge_post', 1 ),
	'updated_option'                             => array( 'calfacade_purge_option', 3 ),
	'updated_post_meta'                          => array( 'calfacade_purge_meta', 3 ),
	'upgrader_process_complete'                  => array( 'calfacade_purge_all', 0 ),
	'wpml_set_element_language_details'          => array( 'calfacade_purge_element', 1 ),
	'wpml_translation_update'                    => array( 'calfacade_purge_element', 1 ),
	'wpml_update_active_languages'               => array( 'calfacade_purge_all', 0 ),
);

/** Reports whether a URL and a token for purges are configured. */
function calfacade_purge_on() {
	return defined( 'CALFACADE_PURGE_URL' ) && defined( 'CALFACADE_PURGE_TOKEN' )
		&& '' !== (string) CALFACADE_PURGE_URL && '' !== (string) CALFACADE_PURGE_TOKEN;
}

if ( calfacade_purge_on() ) {
	foreach ( CALFACADE_PURGE_HOOKS as $calfacade_purge_hook => $calfacade_purge_call ) {
		// At priority 10 language plugins drop deleted items.
		add_action( $calfacade_purge_hook, $calfacade_purge_call[0], 1, $calfacade_purge_call[1] );
	}
	add_action( 'shutdown', 'calfacade_purge_flush', PHP_INT_MAX ); // after the shutdown hooks of others
	add_action( 'calfacade_purge_again', 'calfacade_purge_again' );
}
add_filter( 'site_status_tests', 'calfacade_purge_health_test' );
register_activation_hook( __FILE__, 'calfacade_purge_activated' );
if ( defined( 'WP_CLI' ) && WP_CLI ) {
	WP_CLI::add_command( 'calendar-purge status', 'calfacade_purge_command' );
}

/**
 * Returns the changes of this request: the codes of their languages, as keys, by post
 * type or taxonomy and id. The id 0 is every item, the code '' every language. '*' is
 * set if everything changed.
 *
 * @return array By reference.
 */
function &calfacade_purge_changes() {
	static $changes = array();
	return $changes;
}

/** Records that everything changed. */
function calfacade_purge_all() {
	$changes      = &calfacade_purge_changes();
	$changes['*'] = array();
}

/**
 * Records that an item changed.
 *
 * @param string $kind       Post type or taxonomy.
 * @param int    $id         Of the item; 0 is every item.
 * @param bool   $everywhere Whether responses in other languages show or showed it.
 */
function calfacade_purge_note( $kind, $id, $everywhere = false ) {
	$changes = &calfacade_purge_changes();
	if ( isset( $changes[ $kind ][0][''] ) ) {
		return; // a large import needs no more lookups of languages
	}
	if ( $id && ! isset( $changes[ $kind ][ $id ] ) ) {
		calfacade_purge_resolve( $kind, $id );
	}
	if ( $everywhere || ! $id ) {
		$changes[ $kind ][ $id ][''] = true;
	}
	calfacade_purge_bound( $kind );
}

/** Drops the items of a post type or taxonomy if all of them are recorded, or too many. */
function calfacade_purge_bound( $kind ) {
	$changes = &calfacade_purge_changes();
	if ( isset( $changes[ $kind ][0][''] ) || count( $changes[ $kind ] ) > CALFACADE_PURGE_MOST ) {
		$changes[ $kind ] = array( 0 => array( '' => true ) );
	}
}

/**
 * Adds an item with its current language, and the items that show it under other ids.
 *
 * @param string $kind Post type or taxonomy.
 * @param int    $id   Of the item.
 */
function calfacade_purge_resolve( $kind, $id ) {
	$changes = &calfacade_purge_changes();
	$group   = calfacade_purge_group( $kind, $id );

	$changes[ $kind ][ $id ] = $changes[ $kind ][ $id ] ?? array();
	foreach ( $group as $code => $member ) {
		$changes[ $kind ][ $member ][ $code ] = true;
	}
	// An occurrence has its own id, which no hook names.
	$is_event = 'tribe_events' === $kind && 'tribe_events' === get_post_type( $id );
	if ( $is_event && function_exists( 'tribe_is_recurring_event' ) && tribe_is_recurring_event( $id ) ) {
		$changes[ $kind ][0][ (string) array_search( $id, $group, true ) ] = true;
	}
}

/**
 * Records a post, if responses show it.
 *
 * @param int  $id         Of the post.
 * @param bool $everywhere As in calfacade_purge_note(); hooks do not pass it.
 */
function calfacade_purge_post( $id, $everywhere = false ) {
	$id = (int) $id;
	if ( ! $id ) {
		return; // get_post_type() reads 0 as the post of the page
	}
	if ( 'auto-draft' === get_post_status( $id ) || ( defined( 'DOING_AUTOSAVE' ) && DOING_AUTOSAVE ) ) {
		return;
	}
	$kind = get_post_type( $id );
	if ( isset( CALFACADE_PURGE_POSTS[ $kind ] ) ) {
		calfacade_purge_note( $kind, $id, $everywhere );
	} elseif ( 'tribe_event_series' === $kind ) {
		calfacade_purge_note( 'tribe_events', 0 );
	}
}

/**
 * Records a post whose type changes: responses showed it under its previous type.
 *
 * @param int     $id     Of the post.
 * @param WP_Post $after  As it is saved.
 * @param WP_Post $before As it was.
 */
function calfacade_purge_updated( $id, $after, $before ) {
	if ( $after->post_type === $before->post_type || 'auto-draft' === $before->post_status ) {
		return;
	}
	if ( isset( CALFACADE_PURGE_POSTS[ $before->post_type ] ) ) {
		calfacade_purge_note( $before->post_type, (int) $id );
	} elseif ( 'tribe_event_series' === $before->post_type ) {
		calfacade_purge_note( 'tribe_events', 0 );
	}
}

/** Records a post whose status changes. */
function calfacade_purge_status( $new_status, $old_status, $post ) {
	calfacade_purge_post( $post->ID );
}

/**
 * Records a post whose meta changes: importers write it after the last save. The id is 0
 * if the meta of several posts is deleted.
 */
function calfacade_purge_meta( $meta_ids, $id, $key ) {
	if ( '_wp_attached_file' === $key || '_wp_attachment_metadata' === $key ) {
		calfacade_purge_note( 'attachment', (int) $id );
		return;
	}
	/**
	 * Filters whether a change of post meta purges the post.
	 *
	 * @param bool   $shown Whether answers show meta of this key.
	 * @param string $key   The key.
	 * @param int    $id    Of the post; 0 is all that have it.
	 */
	if ( ! apply_filters( 'calfacade_purge_meta', 1 === preg_match( CALFACADE_PURGE_META, $key ), $key, $id ) ) {
		return;
	}
	if ( $id ) {
		calfacade_purge_post( $id );
	} elseif ( count( (array) $meta_ids ) > CALFACADE_PURGE_MOST ) {
		calfacade_purge_every_post();
	} else {
		foreach ( (array) $meta_ids as $meta_id ) {
			$meta = get_metadata_by_mid( 'post', $meta_id );
			calfacade_purge_post( $meta ? $meta->post_id : 0 );
		}
	}
}

/** Records every event, organizer and venue. */
function calfacade_purge_every_post() {
	foreach ( CALFACADE_PURGE_POSTS as $kind => $type ) {
		calfacade_purge_note( $kind, 0 );
	}
}

/** Records the items that show images whose files changed; the id 0 is every image. */
function calfacade_purge_images( $ids ) {
	global $wpdb;
	if ( in_array( 0, $ids, true ) ) {
		calfacade_purge_every_post();
		return;
	}
	$images = implode( "','", array_map( 'intval', $ids ) );
	$kinds  = implode( "','", array_keys( CALFACADE_PURGE_POSTS ) );
	$limit  = CALFACADE_PURGE_MOST + 1;
	// Not a WP_Query: the calendar and language plugins change those.
	// phpcs:disable WordPress.DB
	$posts = $wpdb->get_results(
		"SELECT p.ID, p.post_type FROM $wpdb->posts p JOIN $wpdb->postmeta m ON m.post_id = p.ID"
		. " WHERE m.meta_key = '_thumbnail_id' AND m.meta_value IN ('$images') AND p.post_type IN ('$kinds') LIMIT $limit"
	);
	// phpcs:enable
	if ( count( $posts ) === $limit ) {
		calfacade_purge_every_post();
		return;
	}
	foreach ( $posts as $post ) {
		calfacade_purge_note( $post->post_type, (int) $post->ID );
	}
}

/**
 * Records a post whose terms are set. Polylang stores languages as terms: those of posts
 * in one taxonomy, those of terms in another.
 */
function calfacade_purge_set_terms( $id, $terms, $tt_ids, $taxonomy, $append = true, $old = array() ) {
	if ( ! $append && ! array_diff( $tt_ids, $old ) && ! array_diff( $old, $tt_ids ) ) {
		return;
	}
	calfacade_purge_related( $id, $tt_ids, $taxonomy );
	if ( 'language' === $taxonomy ) {
		calfacade_purge_post( $id, array() !== $old );
	} elseif ( 'term_language' === $taxonomy ) {
		calfacade_purge_language_of_term( $id, array() !== $old );
	}
}

/** Records a post that gains or loses terms. */
function calfacade_purge_related( $id, $tt_ids, $taxonomy ) {
	if ( isset( CALFACADE_PURGE_TERMS[ $taxonomy ] ) ) {
		calfacade_purge_post( $id );
	}
}

/** Records a term. */
function calfacade_purge_term( $id, $tt_id, $taxonomy ) {
	calfacade_purge_terms( $id, $taxonomy );
}

/**
 * Records terms, if responses show them.
 *
 * @param int|int[] $ids        Of the terms.
 * @param string    $taxonomy   Their taxonomy.
 * @param bool      $everywhere As in calfacade_purge_note(); hooks do not pass it.
 */
function calfacade_purge_terms( $ids, $taxonomy, $everywhere = false ) {
	if ( ! isset( CALFACADE_PURGE_TERMS[ $taxonomy ] ) ) {
		return;
	}
	foreach ( array_filter( array_map( 'intval', (array) $ids ) ) as $id ) {
		calfacade_purge_note( $taxonomy, $id, $everywhere );
	}
}

/**
 * Records terms that are removed from WordPress's cache. When Polylang sets the default
 * language of all posts or terms without one, it does so by SQL, and then removes terms of
 * its taxonomy from the cache. Their ids are those of the posts or terms
 * (PLL_Translatable_Object::set_language_in_mass). When posts are counted the ids are those
 * of its own terms, and $whole is false.
 *
 * @param int[]  $ids      Of the terms.
 * @param string $taxonomy Their taxonomy.
 * @param bool   $whole    Whether it is the taxonomy that changed.
 */
function calfacade_purge_cleaned( $ids, $taxonomy, $whole = true ) {
	$kinds = array(
		'language'      => CALFACADE_PURGE_POSTS,
		'term_language' => CALFACADE_PURGE_TERMS,
	);
	if ( ! isset( $kinds[ $taxonomy ] ) ) {
		calfacade_purge_terms( $ids, $taxonomy );
		return;
	}
	if ( ! $whole ) {
		return;
	}
	if ( count( (array) $ids ) > CALFACADE_PURGE_MOST ) {
		foreach ( $kinds[ $taxonomy ] as $kind => $type ) {
			calfacade_purge_note( $kind, 0 );
		}
		return;
	}
	foreach ( (array) $ids as $id ) {
		if ( 'language' === $taxonomy ) {
			calfacade_purge_post( $id, true ); // without a language it may have been shown in all
		} else {
			calfacade_purge_language_of_term( $id, true );
		}
	}
}

/** Records a term whose language Polylang sets. */
function calfacade_purge_language_of_term( $id, $everywhere ) {
	$term = get_term( (int) $id );
	calfacade_purge_terms( $id, $term instanceof WP_Term ? $term->taxonomy : '', $everywhere );
}

/** Records a term whose id changes. */
function calfacade_purge_split( $old_id, $new_id, $tt_id, $taxonomy ) {
	calfacade_purge_terms( array( $old_id, $new_id ), $taxonomy );
}

/** Records a change of an option. For an option that is added or deleted, hooks pass no values. */
function calfacade_purge_option( $name, $old = null, $now = null ) {
	if ( ! in_array( $name, CALFACADE_PURGE_OPTIONS, true ) ) {
		return;
	}
	if ( 'tribe_events_calendar_options' === $name && is_array( $old ) && is_array( $now )
		&& array_diff_key( $old, CALFACADE_PURGE_NO_SETTINGS ) === array_diff_key( $now, CALFACADE_PURGE_NO_SETTINGS ) ) {
		return;
	}
	calfacade_purge_all();
}

/**
 * Records an item whose language WPML changes. Without element_id or element_type the
 * change affects several items.
 */
function calfacade_purge_element( $change ) {
	$change += array(
		'element_id'     => 0,
		'element_type'   => '',
		'translation_id' => 0,
		'trid'           => 0,
	);
	if ( ! $change['element_type'] ) {
		// A change of one translation, such as which is the original, or of the site.
		if ( ! $change['element_id'] && ! $change['translation_id'] && ! $change['trid'] ) {
			calfacade_purge_all();
		}
		return;
	}
	$id                  = (int) $change['element_id'];
	list( $what, $kind ) = explode( '_', $change['element_type'], 2 ) + array( '', '' );
	if ( ! $id && array_key_exists( $kind, CALFACADE_PURGE_POSTS + CALFACADE_PURGE_TERMS ) ) {
		calfacade_purge_note( $kind, 0 );
	} elseif ( 'post' === $what ) {
		calfacade_purge_post( $id, true );
	} elseif ( 'tax' === $what ) {
		calfacade_purge_terms( calfacade_purge_term_id( 'term_id', 'term_taxonomy_id', $id, $kind ), $kind, true );
	}
}

/**
 * Returns an item and, under WPML, its translations, by the codes of their languages.
 * WPML copies dates, statuses and parents to translations by SQL, without a hook.
 *
 * @param string $kind Post type or taxonomy.
 * @param int    $id   Of the item.
 * @return int[] Ids; empty if no plugin knows the language.
 */
function calfacade_purge_group( $kind, $id ) {
	$is_term = isset( CALFACADE_PURGE_TERMS[ $kind ] );
	if ( function_exists( 'pll_get_post_language' ) ) {
		$code = $is_term ? pll_get_term_language( $id, 'slug' ) : pll_get_post_language( $id, 'slug' );
		return $code ? array( $code => $id ) : array();
	}
	if ( ! has_filter( 'wpml_element_trid' ) ) {
		return array();
	}
	$element = $is_term ? calfacade_purge_term_id( 'term_taxonomy_id', 'term_id', $id, $kind ) : $id;
	$type    = ( $is_term ? 'tax_' : 'post_' ) . $kind;
	$trid    = apply_filters( 'wpml_element_trid', null, $element, $type );
	$group   = array();
	if ( ! $trid ) {
		return $group;
	}
	// All statuses: an item that is hidden now may have been shown.
	foreach ( (array) apply_filters( 'wpml_get_element_translations', null, $trid, $type, false, true ) as $code => $translation ) {
		$element        = (int) $translation->element_id;
		$group[ $code ] = $is_term ? calfacade_purge_term_id( 'term_id', 'term_taxonomy_id', $element, $kind ) : $element;
	}
	return array_filter( $group );
}

/**
 * Converts between the two ids of a term.
 *
 * @param string $wanted   Column of the id to return.
 * @param string $given    Column of $id.
 * @param int    $id       The id to convert.
 * @param string $taxonomy Taxonomy of the term.
 * @return int 0 for none.
 */
function calfacade_purge_term_id( $wanted, $given, $id, $taxonomy ) {
	global $wpdb;
	// Not get_term(): WPML filters it, and returns a translation.
	// phpcs:ignore WordPress.DB
	return (int) $wpdb->get_var( $wpdb->prepare( "SELECT $wanted FROM $wpdb->term_taxonomy WHERE $given = %d AND taxonomy = %s", $id, $taxonomy ) );
}

/** Sends the changes of this request, after the visitor has the page if PHP supports it. */
function calfacade_purge_flush() {
	$body = calfacade_purge_body();
	if ( array() === $body ) {
		return;
	}
	calfacade_purge_finish();
	$json = wp_json_encode( $body );
	if ( 200 !== calfacade_purge_send( $json, 1 ) ) {
		calfacade_purge_keep( $json );
		calfacade_purge_later( CALFACADE_PURGE_DELAY );
	} elseif ( calfacade_purge_pending() ) {
		calfacade_purge_later( 0 );
	}
}

/**
 * Returns the pending purges, oldest first: bodies by the time since when a purge has been
 * pending, '-', and a unique text. Another request may have changed them since this one
 * began. They are one option, which is not autoloaded.
 *
 * @return string[]
 */
function calfacade_purge_pending() {
	wp_cache_delete( 'calfacade_purge_pending', 'options' );
	return (array) get_option( 'calfacade_purge_pending', array() );
}

/**
 * Makes a purge pending. Beyond CALFACADE_PURGE_PENDING, one of everything replaces all; its
 * key is a new one, since WP-Cron may be sending another of everything.
 *
 * @param string $json The body.
 */
function calfacade_purge_keep( $json ) {
	$pending = calfacade_purge_pending();
	$since   = $pending ? (int) key( $pending ) : time();
	if ( count( $pending ) >= CALFACADE_PURGE_PENDING || strlen( implode( $pending ) . $json ) > 1024 * CALFACADE_PURGE_PENDING
		|| in_array( CALFACADE_PURGE_ALL, $pending, true ) ) {
		$json = CALFACADE_PURGE_ALL;
	}
	if ( CALFACADE_PURGE_ALL === $json ) {
		$pending = array();
	}
	$pending[ $since . uniqid( '-', true ) ] = $json;
	update_option( 'calfacade_purge_pending', $pending, false );
}

/** Schedules the one event that sends what is pending, unless it is due before $delay seconds. */
function calfacade_purge_later( $delay ) {
	$next = wp_next_scheduled( 'calfacade_purge_again' );
	if ( ! $next || $next > time() + $delay ) {
		wp_clear_scheduled_hook( 'calfacade_purge_again' ); // WordPress refuses a second one within ten minutes
		wp_schedule_single_event( time() + $delay, 'calfacade_purge_again' );
	}
}

/** Finishes the response to the visitor, if PHP supports that. */
function calfacade_purge_finish() {
	foreach ( array( 'fastcgi_finish_request', 'litespeed_finish_request' ) as $finish ) {
		if ( function_exists( $finish ) ) {
			$finish();
			return;
		}
	}
}

/** Removes the changes of this request and returns the body of a purge; empty for none. */
function calfacade_purge_body() {
	$changes = &calfacade_purge_changes();
	if ( isset( $changes['*'] ) ) {
		$changes = array();
		return array( 'all' => true );
	}
	if ( isset( $changes['attachment'] ) ) {
		calfacade_purge_images( array_keys( $changes['attachment'] ) );
		unset( $changes['attachment'] );
	}
	// Languages may have changed since an item was recorded; a new item has one now.
	foreach ( $changes as $kind => $ids ) {
		foreach ( array_keys( $ids ) as $id ) {
			if ( $id ) {
				calfacade_purge_resolve( $kind, $id );
			}
		}
		calfacade_purge_bound( $kind );
	}
	$objects = calfacade_purge_objects( $changes );
	$changes = array();
	return array() === $objects ? array() : array( 'objects' => $objects );
}

/** Returns changes as a purge lists them. */
function calfacade_purge_objects( $changes ) {
	$objects = array();
	foreach ( array_intersect_key( CALFACADE_PURGE_POSTS + CALFACADE_PURGE_TERMS, $changes ) as $kind => $type ) {
		foreach ( $changes[ $kind ] as $id => $codes ) {
			$object = array( 'type' => $type ) + ( $id ? array( 'id' => $id ) : array( 'any' => true ) );
			if ( 1 === count( $codes ) && ! isset( $codes[''] ) ) {
				$object['language'] = (string) key( $codes );
			}
			$objects[] = $object;
		}
	}
	return $objects;
}

/**
 * Sends what is pending, until a purge fails; WP-Cron calls it.
 *
 * @param string $old The body, in an event that version 2.0.0 scheduled: it had one a purge.
 */
function calfacade_purge_again( $old = '' ) {
	if ( '' !== $old ) {
		calfacade_purge_keep( $old );
	}
	foreach ( calfacade_purge_pending() as $key => $json ) {
		$status = calfacade_purge_send( $json, 5 );
		if ( 200 !== $status ) {
			if ( 400 === $status || 413 === $status ) {
				calfacade_purge_keep( CALFACADE_PURGE_ALL ); // this body would be refused again
			}
			// phpcs:ignore WordPress.PHP.DevelopmentFunctions.error_log_error_log
			error_log( sprintf( 'calfacade: a pending purge failed with status %d (0 is no answer); answers may be old until they expire.', $status ) );
			calfacade_purge_later( min( 3600, max( CALFACADE_PURGE_DELAY, time() - (int) $key ) ) );
			return;
		}
		$pending = calfacade_purge_pending();
		unset( $pending[ $key ] );
		update_option( 'calfacade_purge_pending', $pending, false );
	}
}

/**
 * Sends a purge, waits for the response, and keeps the times of the last success and of the
 * last error.
 *
 * @param string $json    The body.
 * @param int    $timeout Seconds. Without PHP's curl extension WordPress may take 10 to connect.
 * @return int The status; 0 without a response.
 */
function calfacade_purge_send( $json, $timeout ) {
	$response = wp_remote_post(
		CALFACADE_PURGE_URL,
		array(
			'body'        => $json,
			'headers'     => array(
				'Authorization' => 'Bearer ' . CALFACADE_PURGE_TOKEN,
				'Content-Type'  => 'application/json',
			),
			'timeout'     => $timeout,
			'redirection' => 0, // do not send the token to another host
		)
	);
	$status   = (int) wp_remote_retrieve_response_code( $response );
	$last     = (array) get_option( 'calfacade_purge_last', array() );
	if ( 200 === $status ) {
		$last['success'] = time();
	} else {
		$last['failure'] = time();
		$last['error']   = is_wp_error( $response ) ? calfacade_purge_public( $response->get_error_message() ) : "status $status";
	}
	update_option( 'calfacade_purge_last', $last, false );
	return $status;
}

/** Returns a text without the token, and without what URLs may have of passwords. */
function calfacade_purge_public( $text ) {
	if ( defined( 'CALFACADE_PURGE_TOKEN' ) ) {
		$text = str_replace( (string) CALFACADE_PURGE_TOKEN, '***', $text ); // '' changes nothing
	}
	return preg_replace( array( '~//[^/\s]*@~', '~\?\S*~' ), array( '//', '' ), $text );
}

/** Adds the test to those of Site Health. */
function calfacade_purge_health_test( $tests ) {
	$tests['direct']['calfacade_purge'] = array(
		'label' => 'calfacade purge',
		'test'  => 'calfacade_purge_health',
	);
	return $tests;
}

/** Returns the result of the test in Site Health. */
function calfacade_purge_health() {
	$pending = calfacade_purge_pending();
	$since   = (int) key( $pending );
	$status  = 'good';
	$label   = 'No purge for calfacade is pending';
	if ( ! calfacade_purge_on() ) {
		$status = 'recommended';
		$label  = 'Nothing is purged: CALFACADE_PURGE_URL or CALFACADE_PURGE_TOKEN is missing';
	} elseif ( $pending ) {
		$status = time() - $since > 900 ? 'critical' : 'recommended';
		$label  = 'Purges for calfacade are pending';
	}
	return array(
		'label'       => $label,
		'status'      => $status,
		'badge'       => array(
			'label' => 'Performance',
			'color' => 'blue',
		),
		'description' => '<p>' . implode( '<br>', array_map( 'esc_html', calfacade_purge_report() ) ) . '</p>',
		'actions'     => '',
		'test'        => 'calfacade_purge',
	);
}

/** Returns what an owner needs to know of purges, as lines of text. */
function calfacade_purge_report() {
	$pending = calfacade_purge_pending();
	$last    = (array) get_option( 'calfacade_purge_last', array() );
	$time    = function ( $at ) {
		return gmdate( 'Y-m-d H:i:s', $at ) . ' UTC';
	};
	return array(
		'URL: ' . ( defined( 'CALFACADE_PURGE_URL' ) && '' !== (string) CALFACADE_PURGE_URL ? calfacade_purge_public( CALFACADE_PURGE_URL ) : 'missing' ),
		'Token: ' . ( defined( 'CALFACADE_PURGE_TOKEN' ) && '' !== (string) CALFACADE_PURGE_TOKEN ? 'set' : 'missing' ),
		'Pending purges: ' . count( $pending ) . ( $pending ? ', the oldest since ' . $time( (int) key( $pending ) ) : '' ),
		'Last success: ' . ( isset( $last['success'] ) ? $time( $last['success'] ) : 'none' ),
		'Last error: ' . ( isset( $last['error'] ) ? $time( $last['failure'] ) . ', ' . $last['error'] : 'none' ),
	);
}

/** Shows whether purges reach calfacade, what is pending and the last error. */
function calfacade_purge_command() {
	$health = calfacade_purge_health();
	array_map( 'WP_CLI::log', calfacade_purge_report() );
	$print = array(
		'good'        => 'success',
		'recommended' => 'warning',
		'critical'    => 'error',
	)[ $health['status'] ];
	WP_CLI::$print( $health['label'] );
}

/** WordPress cleans up when an owner deletes the plugin; must-use plugins are never activated. */
function calfacade_purge_activated() {
	register_uninstall_hook( __FILE__, 'calfacade_purge_uninstall' );
}

/** Deletes what the plugin stored. */
function calfacade_purge_uninstall() {
	delete_option( 'calfacade_purge_pending' );
	delete_option( 'calfacade_purge_last' );
	wp_unschedule_hook( 'calfacade_purge_again' );
}
