<?php
/**
 * Plugin Name: calfacade purge
 * Description: Purges a calfacade's answers when the events, venues, organizers, categories or tags that they show change.
 * Version:     2.0.0
 * License:     MIT
 *
 * SPDX-License-Identifier: MIT
 *
 * Copy this file to wp-content/mu-plugins/ and set in wp-config.php:
 *
 *     define( 'CALFACADE_PURGE_URL', 'http://127.0.0.1:9090/purge' );
 *     define( 'CALFACADE_PURGE_TOKEN', '...' ); // the facade's admin.token
 *
 * Without both it does nothing. All changes of one PHP request are one purge, sent at
 * its end. Under PHP-FPM and LiteSpeed the visitor has the page by then, so the plugin
 * waits for the answer. Elsewhere it does not wait, and cannot know whether the purge
 * arrived. Unless it knows, WP-Cron sends the purge again after half a minute and
 * waits; while that fails it retries, up to CALFACADE_PURGE_TRIES times in about an
 * hour and a half. A purge that arrives twice costs the facade next to nothing.
 *
 * It needs PHP 7.4 and WordPress 5.5. Of other plugins it needs nothing: what is absent
 * calls no hook. It is one file because WordPress looks for must-use plugins in no
 * folders.
 */

defined( 'ABSPATH' ) || exit;

/** Seconds until WP-Cron sends a purge for the first time. */
const CALFACADE_PURGE_DELAY = 30;

/** How often WP-Cron tries, each time after four times as long. */
const CALFACADE_PURGE_TRIES = 5;

/** Items of one type that a purge names; past that it is of every item of the type. The facade takes 64 KiB. */
const CALFACADE_PURGE_MOST = 150;

/** Post types that the answers show, and their type in a purge. */
const CALFACADE_PURGE_POSTS = array(
	'tribe_events'    => 'event',
	'tribe_organizer' => 'organizer',
	'tribe_venue'     => 'venue',
);

/** Taxonomies likewise. */
const CALFACADE_PURGE_TERMS = array(
	'post_tag'         => 'tag',
	'tribe_events_cat' => 'category',
);

/** Meta keys that the answers show. Others are written by an open editor, or for each visitor of a page. */
const CALFACADE_PURGE_META = '/^_(Event|Organizer|Venue|ecp_custom_|thumbnail_id$|tribe_)/';

/** Options that all answers show, or that decide which plugins make them. */
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

/** Members of tribe_events_calendar_options that follow each save of an event. */
const CALFACADE_PURGE_NO_SETTINGS = array(
	'earliest_date'         => true,
	'earliest_date_markers' => true,
	'latest_date'           => true,
	'latest_date_markers'   => true,
);

/** Hooks, each with its callback and how many of the hook's arguments that takes. */
const CALFACADE_PURGE_HOOKS = array(
	'added_option'                               => array( 'calfacade_purge_option', 1 ),
	'added_post_meta'                            => array( 'calfacade_purge_meta', 3 ),
	'before_delete_post'                         => array( 'calfacade_purge_post', 1 ),
	'clean_post_cache'                           => array( 'calfacade_purge_post', 1 ), // after SQL past the other hooks
	'clean_term_cache'                           => array( 'calfacade_purge_cleaned', 3 ), // likewise, and after counting
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

/** Reports whether there is a facade to send purges to. */
function calfacade_purge_on() {
	return defined( 'CALFACADE_PURGE_URL' ) && defined( 'CALFACADE_PURGE_TOKEN' )
		&& '' !== (string) CALFACADE_PURGE_URL && '' !== (string) CALFACADE_PURGE_TOKEN;
}

if ( calfacade_purge_on() ) {
	foreach ( CALFACADE_PURGE_HOOKS as $calfacade_purge_hook => $calfacade_purge_call ) {
		// Language plugins forget what is deleted at priority 10.
		add_action( $calfacade_purge_hook, $calfacade_purge_call[0], 1, $calfacade_purge_call[1] );
	}
	add_action( 'shutdown', 'calfacade_purge_flush', PHP_INT_MAX ); // after what others do at the end
	add_action( 'calfacade_purge_again', 'calfacade_purge_again', 10, 2 );
}

/**
 * Returns the changes of this request: by post type or taxonomy and id the codes of
 * their languages, as keys. The id 0 is every item, the code '' every language.
 * '*' is set if everything changed.
 *
 * @return array By reference.
 */
function &calfacade_purge_changes() {
	static $changes = array();
	return $changes;
}

/** Notes that everything changed. */
function calfacade_purge_all() {
	$changes      = &calfacade_purge_changes();
	$changes['*'] = array();
}

/**
 * Notes that an item changed.
 *
 * @param string $kind       Post type or taxonomy.
 * @param int    $id         Of the item; 0 is every item.
 * @param bool   $everywhere Whether it was or is shown in other languages than its own.
 */
function calfacade_purge_note( $kind, $id, $everywhere = false ) {
	$changes = &calfacade_purge_changes();
	if ( isset( $changes[ $kind ][0][''] ) ) {
		return; // an import of thousands looks up no more languages
	}
	if ( $id && ! isset( $changes[ $kind ][ $id ] ) ) {
		calfacade_purge_resolve( $kind, $id );
	}
	if ( $everywhere || ! $id ) {
		$changes[ $kind ][ $id ][''] = true;
	}
	calfacade_purge_bound( $kind );
}

/** Forgets the items of a post type or taxonomy if all of them are noted, or too many. */
function calfacade_purge_bound( $kind ) {
	$changes = &calfacade_purge_changes();
	if ( isset( $changes[ $kind ][0][''] ) || count( $changes[ $kind ] ) > CALFACADE_PURGE_MOST ) {
		$changes[ $kind ] = array( 0 => array( '' => true ) );
	}
}

/**
 * Adds an item with the language that it has now, and what shows it under other ids.
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
	// An occurrence has an id of its own, which no hook names.
	$is_event = 'tribe_events' === $kind && 'tribe_events' === get_post_type( $id );
	if ( $is_event && function_exists( 'tribe_is_recurring_event' ) && tribe_is_recurring_event( $id ) ) {
		$changes[ $kind ][0][ (string) array_search( $id, $group, true ) ] = true;
	}
}

/**
 * Notes a post, if answers show it.
 *
 * @param int  $id         Of the post.
 * @param bool $everywhere As in calfacade_purge_note(); no hook has it.
 */
function calfacade_purge_post( $id, $everywhere = false ) {
	$id = (int) $id;
	if ( ! $id ) {
		return; // which to get_post_type() is the post of the page
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
 * Notes a post that is saved with another type: it was shown as what it was before.
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

/** Notes a post whose status changes. */
function calfacade_purge_status( $new_status, $old_status, $post ) {
	calfacade_purge_post( $post->ID );
}

/**
 * Notes a post whose meta changes: importers write it after the last save. The id is 0
 * if entries of several posts are deleted.
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

/** Notes every event, organizer and venue. */
function calfacade_purge_every_post() {
	foreach ( CALFACADE_PURGE_POSTS as $kind => $type ) {
		calfacade_purge_note( $kind, 0 );
	}
}

/** Notes what shows images whose files changed; the id 0 is every image. */
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
 * Notes a post whose terms are set. Polylang keeps languages as terms: those of posts
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

/** Notes a post that gets or loses terms. */
function calfacade_purge_related( $id, $tt_ids, $taxonomy ) {
	if ( isset( CALFACADE_PURGE_TERMS[ $taxonomy ] ) ) {
		calfacade_purge_post( $id );
	}
}

/** Notes a term. */
function calfacade_purge_term( $id, $tt_id, $taxonomy ) {
	calfacade_purge_terms( $id, $taxonomy );
}

/**
 * Notes terms, if answers show them.
 *
 * @param int|int[] $ids        Of the terms.
 * @param string    $taxonomy   Their taxonomy.
 * @param bool      $everywhere As in calfacade_purge_note(); no hook has it.
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
 * Notes terms that are taken from the cache. Polylang, when it gives the default
 * language to all posts or terms without one, does so by SQL, and then takes from the
 * cache what looks like terms of its taxonomy: these are the ids of the posts or terms
 * (PLL_Translatable_Object::set_language_in_mass). When posts are counted the ids are of
 * its own terms, and $whole is false.
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
			calfacade_purge_post( $id, true ); // as one without a language it may have been shown in all
		} else {
			calfacade_purge_language_of_term( $id, true );
		}
	}
}

/** Notes a term that Polylang gives a language. */
function calfacade_purge_language_of_term( $id, $everywhere ) {
	$term = get_term( (int) $id );
	calfacade_purge_terms( $id, $term instanceof WP_Term ? $term->taxonomy : '', $everywhere );
}

/** Notes a term that gets another id. */
function calfacade_purge_split( $old_id, $new_id, $tt_id, $taxonomy ) {
	calfacade_purge_terms( array( $old_id, $new_id ), $taxonomy );
}

/** Notes a change of an option. An option that is added or deleted has no values here. */
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
 * Notes an item whose language WPML changes. Without element_id or element_type the
 * change is of several items.
 */
function calfacade_purge_element( $change ) {
	$change += array(
		'element_id'     => 0,
		'element_type'   => '',
		'translation_id' => 0,
		'trid'           => 0,
	);
	if ( ! $change['element_type'] ) {
		// Either of one translation, such as which is the original, or of the site.
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
	// Of all statuses: what is hidden now may have been shown.
	foreach ( (array) apply_filters( 'wpml_get_element_translations', null, $trid, $type, false, true ) as $code => $translation ) {
		$element        = (int) $translation->element_id;
		$group[ $code ] = $is_term ? calfacade_purge_term_id( 'term_id', 'term_taxonomy_id', $element, $kind ) : $element;
	}
	return array_filter( $group );
}

/**
 * Converts between the two ids of a term.
 *
 * @param string $wanted   Column of the id that is wanted.
 * @param string $given    Column of the id that is given.
 * @param int    $id       The id that is given.
 * @param string $taxonomy Taxonomy of the term.
 * @return int 0 for none.
 */
function calfacade_purge_term_id( $wanted, $given, $id, $taxonomy ) {
	global $wpdb;
	// Not get_term(): WPML filters it, and returns a translation.
	// phpcs:ignore WordPress.DB
	return (int) $wpdb->get_var( $wpdb->prepare( "SELECT $wanted FROM $wpdb->term_taxonomy WHERE $given = %d AND taxonomy = %s", $id, $taxonomy ) );
}

/** Sends what this request has changed, when the visitor has the page if PHP can do that. */
function calfacade_purge_flush() {
	$body = calfacade_purge_body();
	if ( array() === $body ) {
		return;
	}
	$json = wp_json_encode( $body );
	if ( 200 !== calfacade_purge_send( $json, calfacade_purge_finish() ) ) {
		wp_schedule_single_event( time() + CALFACADE_PURGE_DELAY, 'calfacade_purge_again', array( $json, 1 ) );
	}
}

/** Ends the answer to the visitor, and reports whether PHP can do that. */
function calfacade_purge_finish() {
	foreach ( array( 'fastcgi_finish_request', 'litespeed_finish_request' ) as $finish ) {
		if ( function_exists( $finish ) ) {
			$finish();
			return true;
		}
	}
	return false;
}

/** Takes the changes of this request and returns the body of a purge; empty for none. */
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
	// Languages may have changed since an item was noted; a new item has got one.
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
 * Sends a purge once more and waits; WP-Cron calls it.
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
