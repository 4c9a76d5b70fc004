"""Imports every module of the generated client, and calls every operation of a running service with it."""

import importlib
import inspect
import os
import pkgutil
import time
from uuid import uuid4

import rates_client
from rates_client import AuthenticatedClient, models

modules = [
    importlib.import_module(module.name)
    for module in pkgutil.walk_packages(rates_client.__path__, "rates_client.")
]
operations = {
    module.__name__.split(".")[-1]: module
    for module in modules
    if module.__name__.startswith("rates_client.api.") and hasattr(module, "sync_detailed")
}
client = AuthenticatedClient(base_url=os.environ["RATE_SEARCH_URL"], token=os.environ["RATE_SEARCH_KEY"])
called = set()


def call(name, status, body_type=None, **arguments):
    """Calls an operation, and checks the status and the type of its body."""
    called.add(name)
    # Every function of the module takes the same arguments.
    for function in ("sync_detailed", "asyncio_detailed"):
        inspect.signature(getattr(operations[name], function)).bind(client=client, **arguments)
    response = operations[name].sync_detailed(client=client, **arguments)
    assert response.status_code == status, (name, response.status_code, response.content)
    assert body_type is None or isinstance(response.parsed, body_type), (name, type(response.parsed))
    return response.parsed


plans = [models.FeeSchedule(payer="Blue Harbor Health", plan="Harbor PPO Gold")]
request = models.SearchRequest(billing_codes=["99213"], fee_schedules=plans)

estimate = call("estimate_search", 200, models.Estimate, body=request)
assert estimate.fee_schedules[0].exists
page = call("list_fee_schedules", 200, models.FeeSchedulesPage, limit=1)
assert len(page.fee_schedules) == 1
assert call("list_billing_codes", 200, models.BillingCodesPage, q="mri").billing_codes
call("list_specialties", 200, models.SpecialtiesPage)
assert call("list_providers", 200, models.FoundProviders, npi="1000100002").providers

search = call("create_search", 202, models.RunningSearch, body=request, idempotency_key=str(uuid4()))
job_id = search.job_id
call("get_manifest", 200, (models.RunningManifest, models.CompletedManifest), job_id=job_id)
while isinstance(search, models.RunningSearch):
    time.sleep(0.2)
    search = call("get_search", 200, job_id=job_id)
assert isinstance(search, models.CompletedSearch), search
manifest = call("get_manifest", 200, models.CompletedManifest, job_id=job_id)
assert manifest.rows > 0 and sum(shard.rows for shard in manifest.shards) == manifest.rows
assert manifest.fee_schedules[0].plan == "Harbor PPO Gold"
assert call("get_rows", 200, models.ResultRows, job_id=job_id, limit=3).rows_total == manifest.rows
tag = operations["get_manifest"].sync_detailed(client=client, job_id=job_id).headers["ETag"]
call("get_manifest", 304, job_id=job_id, if_none_match=tag)
listed = call("list_searches", 200, models.SearchesPage, limit=1).searches[0]
assert isinstance(listed, models.CompletedListItem) and listed.job_id == job_id
call("get_search_head", 200, job_id=job_id)
call("list_searches_head", 200)
refusal = call("cancel_search", 409, models.ErrorBody, job_id=job_id)
assert refusal.error.type_.value == "conflict"
call("delete_search", 204, job_id=job_id)
assert call("get_manifest", 404, models.ErrorBody, job_id=job_id).error.message

# A search that failed, in each place that describes it.
wrong = models.SearchRequest(billing_codes=["99213"], fee_schedules=[models.FeeSchedule(payer="Nobody", plan="None")])
search = call("create_search", 202, models.RunningSearch, body=wrong)
while isinstance(search, models.RunningSearch):
    time.sleep(0.2)
    search = call("get_search", 200, job_id=search.job_id)
assert isinstance(search, models.FailedSearch), search
call("get_manifest", 200, models.FailedManifest, job_id=search.job_id)
call("delete_search", 204, job_id=search.job_id)

assert called == set(operations), f"not called: {set(operations) - called}"
print(f"The client of openapi-python-client works: {len(modules)} modules imported, {len(called)} operations called")
