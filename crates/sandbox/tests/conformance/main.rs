//! Every promise of boxes, against every back end: one table.
//!
//! A promise is a function that gets a [`Bench`](bench::Bench) and panics when the promise is broken. The columns are
//! the native back end as root, the same as an ordinary user, and containers of Docker (and of Podman, when asked for).
//! What a machine lacks is a skipped cell with its reason; a broken promise fails the program.
//!
//! All columns use one small image, which is made in a box of the image that the tests share.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod bench;
mod columns;
mod commands;
mod door;
mod files;
mod image;
mod isolation;
mod lifecycle;
mod snapshots;
mod table;
#[path = "../it/tars.rs"]
mod tars;

use std::process::ExitCode;

use bench::Bench;

/// A promise by its name.
pub(crate) type Promise = (&'static str, fn(&Bench));

macro_rules! promises {
    ($($room:ident: $($name:ident),* ;)*) => {
        &[$($((stringify!($name), $room::$name as fn(&Bench)),)*)*]
    };
}

const PROMISES: &[Promise] = promises! {
    commands: exit_codes_and_signals_are_told_apart,
        a_program_that_is_not_there_is_a_result_as_in_a_shell,
        the_streams_are_apart_the_input_is_empty_and_the_folder_is_made,
        merged_output_keeps_the_order,
        the_environment_is_small_and_the_commands_own,
        a_time_limit_ends_the_whole_tree_also_what_left_its_session,
        what_a_command_leaves_running_ends_with_it,
        silence_has_a_limit_of_its_own,
        a_flood_of_output_is_drained_counted_and_dropped,
        a_fork_bomb_meets_the_limit_and_the_box_lives_on,
        killing_everything_inside_only_hurts_the_command,
        time_and_memory_are_measured,
        memory_has_a_limit_and_its_victims_are_counted,
        the_disk_has_a_limit,
        one_file_has_a_limit,
        a_full_host_is_the_hosts_fault,
        the_stop_switch_ends_the_command_and_refuses_later_ones;
    files: a_tree_arrives_with_modes_times_links_and_the_boxs_root_as_owner,
        a_hostile_archive_is_refused_by_name_and_writes_nothing_elsewhere,
        unpacking_over_what_is_there_replaces_it,
        a_large_tree_comes_back_as_it_went,
        many_files_come_back_as_they_went,
        single_files_are_written_and_read,
        links_in_a_box_cannot_lead_out_of_it,
        a_tree_as_deep_as_paths_can_be_arrives,
        the_harness_cannot_be_made_to_overfill_a_box,
        the_stop_switch_ends_work_on_files_that_would_not_end;
    snapshots: changes_are_told_by_kind,
        changes_span_several_snapshots_and_the_last_state_counts,
        a_change_carries_the_digest_of_the_whole_and_the_first_bytes,
        the_image_itself_can_change,
        going_back_undoes_everything_and_forgets_later_snapshots,
        changes_are_told_across_going_back,
        a_fork_begins_with_a_snapshot_and_shares_nothing,
        many_snapshots_are_no_trouble,
        deep_trees_and_odd_names_do_no_harm,
        holes_without_end_are_told_of_but_not_read;
    isolation: files_of_the_host_are_out_of_reach,
        a_box_cannot_change_the_image_or_another_box,
        usual_devices_work_and_nothing_else_is_there,
        the_kernel_is_out_of_reach,
        without_a_network_there_is_only_the_boxs_own_loopback;
    door: the_door_is_the_only_way_out,
        the_door_is_there_again_after_going_back;
    lifecycle: an_image_that_is_not_there_is_named,
        a_dropped_box_leaves_nothing_also_when_it_outlives_its_factory,
        a_killed_harness_leaves_nothing_after_the_next_start,
        a_sweep_leaves_live_boxes_alone;
};

fn main() -> ExitCode {
    if bench::is_victim() {
        bench::victim();
        return ExitCode::SUCCESS;
    }
    let filters: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let wanted: Vec<Promise> = PROMISES
        .iter()
        .filter(|(name, _)| filters.is_empty() || filters.iter().any(|filter| name.contains(filter.as_str())))
        .copied()
        .collect();
    if std::env::args().any(|word| word == "--list") {
        return ExitCode::SUCCESS;
    }
    table::catch_panics();
    if columns::is_child() {
        return columns::child(&wanted);
    }
    table::show(&wanted, &columns::run(&wanted))
}
