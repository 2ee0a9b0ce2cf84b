# shellcheck shell=bash
# Sourced by scripts that run in steps. `step NAME` begins a step; a table of the steps' durations is printed at the end.

step_names=()
step_starts=()

step() {
    step_names+=("$*")
    step_starts+=("$SECONDS")
    printf '\n== %s (%s s)\n' "$*" "$SECONDS"
}

print_step_times() {
    local i end
    printf '\n%6s  %s\n' seconds step
    for i in "${!step_names[@]}"; do
        end=${step_starts[i + 1]:-$SECONDS}
        printf '%6s  %s\n' $((end - step_starts[i])) "${step_names[i]}"
    done
    printf '%6s  in all\n' "$SECONDS"
}
trap print_step_times EXIT
