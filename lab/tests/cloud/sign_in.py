import os

import jwt
from azure.core.exceptions import ClientAuthenticationError
from azure.identity import CertificateCredential, ClientSecretCredential

tenant, client = os.environ["TENANT"], os.environ["CLIENT"]
scope = "https://management.azure.com/.default"
keys = f"https://login.microsoftonline.com/{tenant}/discovery/v2.0/keys"

for credential in [
    ClientSecretCredential(tenant, client, os.environ["SECRET"]),
    CertificateCredential(tenant, client, os.environ["CERTIFICATE"]),
    CertificateCredential(tenant, client, os.environ["CERTIFICATE"], send_certificate_chain=True),
]:
    token = credential.get_token(scope).token
    # The keys are fetched with the same trust as everything else.
    import requests

    key = jwt.PyJWK(requests.get(keys, timeout=5).json()["keys"][0]).key
    claims = jwt.decode(token, key, algorithms=["RS256"], audience="https://management.azure.com")
    assert claims["oid"] == os.environ["PRINCIPAL"], claims
    assert claims["iss"] == f"https://login.microsoftonline.com/{tenant}/v2.0", claims

try:
    ClientSecretCredential(tenant, client, "wrong").get_token(scope)
except ClientAuthenticationError as error:
    assert "AADSTS7000215" in str(error), error
else:
    raise AssertionError("a wrong secret is good for a token")
