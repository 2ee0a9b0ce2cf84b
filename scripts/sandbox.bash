# shellcheck shell=bash
# Sourced by sandbox-up and sandbox-down, for the stack of which the name is in `stack`: what they share.
# shellcheck disable=SC2034,SC2154

export AWS_PAGER=

# What an operator keeps of the stack: keys, the roots of its certificates, what is left when it is deleted.
kept=${LACRE_SANDBOXES:-.sandbox}/$stack

# The stack's tag `stage`, which samconfig.toml sets; nothing if there is no such stack.
stage_of_stack() {
    aws cloudformation describe-stacks --output text \
        --query "Stacks[?StackName=='$stack'].[Tags[?Key=='stage'].Value | [0]][]"
}

# Ends the script if the stack is no sandbox: neither command is for what clients use.
refuse_other_stages() { # STAGE
    [[ $1 == sandbox ]] || { echo "$stack is no sandbox: its tag 'stage' is $1" >&2; exit 1; }
}
