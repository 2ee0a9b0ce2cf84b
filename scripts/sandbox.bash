# shellcheck shell=bash
# Functions shared by sandbox-up, sandbox-down and canary-up, which source this file. `stack` is the stack's name.
# shellcheck disable=SC2034,SC2154

export AWS_PAGER=

# The operator's folder of the stack: keys, certificate roots, and the list of what remains after its deletion.
kept=${LACRE_SANDBOXES:-.sandbox}/$stack

# Prints the stack's tag `stage`, which samconfig.toml sets; prints nothing if the stack does not exist.
stage_of_stack() {
    aws cloudformation describe-stacks --output text \
        --query "Stacks[?StackName=='$stack'].[Tags[?Key=='stage'].Value | [0]][]"
}

# Ends the script if the stack is not a sandbox, because these commands must not touch a stack that clients use.
refuse_other_stages() { # STAGE
    [[ $1 == sandbox ]] || { echo "$stack is not a sandbox: its tag 'stage' is $1" >&2; exit 1; }
}

say() { printf '\n== %s\n' "$*"; }

lacre_admin() { "${CARGO_TARGET_DIR:-target}/debug/lacre-admin" "$@"; }

# Builds the tools, and sets the stack's outputs as variables.
open_stack() {
    say "the tools and the stack's outputs"
    cargo build --quiet --workspace --bin lacre-admin --bin verify
    umask 077
    mkdir -p "$kept"
    scripts/stack-env "$stack" >"$kept/lacre.env"
    set -a
    # shellcheck disable=SC1091
    source "$kept/lacre.env"
    set +a
    echo "$kept/lacre.env"
}

# Installs test certificates in the environment `sand` if it has none, and keeps their roots.
certify_sand() { # RENEW: others than those in force, unless it is empty
    say "certificates of sand"
    local version
    version=$(lacre_admin signer show --json | jq -r '.environments[] | select(.environment == "SANDBOX").version // empty')
    if [[ $version && ! $1 ]]; then
        [[ -f $kept/certificates/roots.pem ]] || {
            echo "the roots of these certificates are not in $kept: bring them, or renew them by sandbox-up or canary-up --renew" >&2
            exit 1
        }
        echo "version $version of the signer profile is in force"
    else
        export LACRE_PFX_PASSWORD
        LACRE_PFX_PASSWORD=$(openssl rand -hex 16)
        lacre_admin signer request-claim-certificate --environment sand --subject "C=BR,O=Lacre Test,CN=$stack" >"$kept/claim.csr"
        rm -rf "$kept/certificates.new"
        # The key was imported into KMS and is not needed elsewhere.
        trap 'rm -f "$kept/certificates.new/seal.pfx"' EXIT
        scripts/test-certificates "$kept/claim.csr" "$kept/certificates.new"
        lacre_admin signer import-a1 "$kept/certificates.new/seal.pfx" --environment sand
        rm "$kept/certificates.new/seal.pfx"
        lacre_admin signer install-claim-certificate "$kept/certificates.new/claim-chain.pem" --environment sand
        # IAM evaluates a new key's tag after up to five minutes; until then the function is denied the key.
        lacre_admin signer activate --environment sand --wait 600
        rm -rf "$kept/certificates"
        mv "$kept/certificates.new" "$kept/certificates"
        unset LACRE_PFX_PASSWORD
    fi
    lacre_admin signer doctor --environment sand
}

# Whether an API key and a license key are valid: creates a session with both, which expires unused.
are_in_force() { # API_KEY LICENSE_KEY
    [[ $1 && $2 ]] || return 1
    local status
    status=$(curl -sS -o /dev/null -w '%{http_code}' "$BASE_URL/web/sessions" -H @<(echo "x-api-key: $1") \
        -d @<(jq -n --arg key "$2" '{reference_id: "are-in-force", license_key: $key}'))
    [[ $status != 2?? ]] || return 0
    [[ $status == 40[134] ]] || {
        echo "$BASE_URL/web/sessions answers $status: the runbook is in docs/reference/alarms.md" >&2
        exit 1
    }
    return 1
}

# Issues keys in the environment `sand` to the client with this name, which is created once. Sets `api_key` and
# `license_key`.
issue_keys() { # NAME OPTIONS_OF_THE_LICENSE...
    local client
    client=$(lacre_admin client list --json | jq -r --arg name "$1" '[.clients[] | select(.name == $name)][0].id // empty')
    [[ $client ]] || client=$(lacre_admin client create "$1" --json | jq -r .id)
    api_key=$(lacre_admin api-key issue --client "$client" --environment sand --name "$1" --json | jq -r .api_key)
    license_key=$(lacre_admin license issue --client "$client" --environment sand --expires-at "$(date -ud '+1 year' +%F)" \
        "${@:2}" --json | jq -r .license_key)
    echo "client $client has new keys"
}
