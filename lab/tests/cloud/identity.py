import os

import jwt

os.environ["IDENTITY_ENDPOINT"] = "http://127.0.0.1:40342/metadata/identity/oauth2/token"
os.environ["IMDS_ENDPOINT"] = "http://127.0.0.1:40342"

from azure.identity import ManagedIdentityCredential

token = ManagedIdentityCredential().get_token("6dae42f8-4368-4678-94ff-3960e28e3630/.default").token
print(jwt.decode(token, options={"verify_signature": False})["oid"])
