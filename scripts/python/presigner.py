"""Waits until an AWS emulator responds, creates the presigner's user there, and prints its access key as shell
variables.

usage: presigner.py PID   (of the emulator; by scripts/with-ministack)"""

import json
import os
import sys
import time

import boto3
from botocore.exceptions import EndpointConnectionError

WITHIN_SECONDS = 60


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def main(pid):
    iam = boto3.client("iam", endpoint_url=os.environ["LACRE_TEST_AWS_ENDPOINT"], region_name=os.environ["AWS_REGION"])
    deadline = time.monotonic() + WITHIN_SECONDS
    while True:
        try:
            iam.create_user(UserName="presigner")
            break
        except EndpointConnectionError:
            if not alive(pid) or time.monotonic() > deadline:
                sys.exit("ministack did not start")
            time.sleep(0.1)
    read_proofs = {"Effect": "Allow", "Action": "s3:GetObject", "Resource": "arn:aws:s3:::*proofs*/*"}
    policy = {"Version": "2012-10-17", "Statement": [read_proofs]}
    iam.put_user_policy(UserName="presigner", PolicyName="read-proofs", PolicyDocument=json.dumps(policy))
    key = iam.create_access_key(UserName="presigner")["AccessKey"]
    print(f"PRESIGNER_ACCESS_KEY_ID={key['AccessKeyId']}")
    print(f"PRESIGNER_SECRET_ACCESS_KEY={key['SecretAccessKey']}")


if __name__ == "__main__":
    main(int(sys.argv[1]))
