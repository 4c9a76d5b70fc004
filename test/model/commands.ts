import fc from 'fast-check'
import { deriveJobId } from '../../core/job/idempotency-key.ts'
import { jobStatuses } from '../../core/job/job.ts'
import type { ReferenceModel } from '../harness/reference-model.ts'
import type { Client } from './client.ts'
import type { QueryOutcome } from './memory-athena.ts'
import { compareForeign, describeJob, estimateSearch, type KnownSearch, listJobs } from './reading-calls.ts'
import { callers, stranger } from './world.ts'

/** Everything that may happen to the service. Numbers choose among what exists, so every command is always possible. */

export type Command = fc.AsyncCommand<ReferenceModel, Client>

type Act = (client: Client, model: ReferenceModel) => Promise<void>

const make = (name: string, act: Act): Command => ({
  check: () => true,
  run: (model, client) => act(client, model),
  toString: () => name,
})

const small = fc.nat(5)
const anyCaller = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(...callers) },
  { weight: 1, arbitrary: fc.constant(stranger) },
)

/**
 * A, B and C are different searches; A is written in two ways, B is A by TIN, and C names a plan that does not exist.
 */
const feeSchedules = [{ payer: 'Acme Health', plan: 'Gold PPO' }]
const ofA = { billing_codes: ['99213'], fee_schedules: feeSchedules }
const ofB = { tins: ['120000000'], billing_codes: ['99213'], fee_schedules: feeSchedules }
const ofC = { npis: [0], fee_schedules: [{ payer: 'Acme Health', plan: 'Tin' }] }
const otherA = { fee_schedules: feeSchedules, billing_codes: [' 99213', '99213'] }
export const bodies: readonly KnownSearch[] = [
  { text: JSON.stringify(ofA), search: 'A', applied: ofA, exists: true },
  { text: JSON.stringify(otherA), search: 'A', applied: ofA, exists: true },
  { text: JSON.stringify(ofB), search: 'B', applied: ofB, exists: true },
  { text: JSON.stringify(ofC), search: 'C', applied: ofC, exists: false },
]

const create = fc
  .record({
    caller: anyCaller,
    body: fc.constantFrom(...bodies),
    key: fc.option(fc.constantFrom('order-1', 'order-2'), { nil: undefined, freq: 3 }),
  })
  .map(({ caller, body, key }) =>
    make(`create ${body.search} for ${caller.orgId} with ${key}`, (client) =>
      client.create(caller, body, key, key && deriveJobId(caller.orgId, key)),
    ),
  )

const ofJob = (name: 'poll' | 'cancel' | 'remove') =>
  fc
    .record({ caller: anyCaller, job: small })
    .map(({ caller, job }) =>
      make(`${name} job ${job} of ${caller.orgId}`, (client) => client[name](caller, client.ownJob(caller, job))),
    )

const foreign = fc
  .record({
    caller: anyCaller,
    job: small,
    call: fc.constantFrom('getSearch', 'getManifest', 'cancelSearch', 'deleteSearch'),
  })
  .map(({ caller, job, call }) =>
    make(`${call} job ${job} of another organization, as ${caller.orgId}`, (client) =>
      compareForeign(client, caller, job, call),
    ),
  )

const describe = fc
  .record({ caller: anyCaller, job: small })
  .map(({ caller, job }) =>
    make(`describe job ${job} of ${caller.orgId}`, (client) =>
      describeJob(client, caller, client.ownJob(caller, job), bodies),
    ),
  )

const list = fc
  .record({
    caller: anyCaller,
    status: fc.option(fc.constantFrom(...jobStatuses), { nil: undefined }),
    limit: fc.integer({ min: 1, max: 3 }),
  })
  .map(({ caller, status, limit }) =>
    make(`list ${status ?? 'all'} jobs of ${caller.orgId}, ${limit} a page`, (client) =>
      listJobs(client, caller, status, limit),
    ),
  )

const estimate = fc
  .record({ caller: anyCaller, body: fc.constantFrom(...bodies) })
  .map(({ caller, body }) =>
    make(`estimate ${body.search} for ${caller.orgId}`, (client) => estimateSearch(client, caller, body)),
  )

const revoke = fc
  .constantFrom(...callers)
  .map((caller) => make(`revoke a key of ${caller.orgId}`, (client) => client.revoke(caller)))
const deactivate = fc
  .constantFrom(...callers)
  .map((caller) => make(`deactivate ${caller.orgId}`, (client) => client.deactivate(caller.orgId)))

const takeStep = fc.nat(3).map((one) => make(`take a step of execution ${one}`, (client) => client.takeStep(one)))
const repeat = fc
  .oneof(fc.nat(2), fc.nat(20))
  .map((back) => make(`deliver an event again, ${back} back`, (client) => client.repeat(back)))
const breakExecution = fc
  .record({ one: fc.nat(3), isTold: fc.boolean() })
  .map(({ one, isTold }) =>
    make(`abort execution ${one}${isTold ? '' : ', and lose its event'}`, (client) => client.abort(one, isTold)),
  )
const sweep = fc
  .integer({ min: 1, max: 3 })
  .map((times) => make(`sweep ${times} at once`, (client) => client.sweep(times)))

const minute = 60
const advance = fc
  .constantFrom(1, minute, 3 * minute, 60 * minute, 7 * 60 * minute, 3 * 1440 * minute, 8 * 1440 * minute)
  .map((seconds) => make(`let ${seconds} s pass`, async (client) => client.advance(seconds)))

const outcomes: readonly QueryOutcome[] = [
  { state: 'succeeded', files: 2 },
  { state: 'succeeded', files: 1 },
  { state: 'succeeded', files: 0 },
  { state: 'failed', fault: 'transient', reason: 'internal error' },
  { state: 'failed', fault: 'throttled', reason: 'slow down' },
  { state: 'failed', fault: 'exhausted', reason: 'no memory' },
  { state: 'failed', fault: 'nothing-read', reason: 'no byte' },
  { state: 'failed', fault: 'permanent', reason: 'HIVE_BAD_DATA: search_negotiated_rates', bytesScanned: 4 },
  { state: 'failed', fault: 'timed-out', reason: 'no time' },
  { state: 'failed', fault: 'permanent', reason: 'division by zero' },
  { state: 'failed', fault: 'data-limit', reason: 'bytes scanned limit' },
]
const endQuery = fc
  .record({ one: fc.nat(3), outcome: fc.constantFrom(...outcomes) })
  .map(({ one, outcome }) =>
    make(`end query ${one}: ${JSON.stringify(outcome)}`, async (client) => client.endQuery(one, outcome)),
  )
const endNextAtOnce = fc
  .constantFrom(...outcomes)
  .map((outcome) =>
    make(`let the next query end at once: ${JSON.stringify(outcome)}`, async (client) => client.endNextAtOnce(outcome)),
  )
const carryOn = fc
  .record({ one: fc.nat(3), outcome: fc.constantFrom(...outcomes) })
  .map(({ one, outcome }) =>
    make(`carry execution ${one} on, its queries: ${JSON.stringify(outcome)}`, (client) =>
      client.carryOn(one, outcome),
    ),
  )
const throttle = fc
  .integer({ min: 1, max: 3 })
  .map((starts) => make(`refuse ${starts} queries with throttling`, async (client) => client.throttle(starts)))
const crash = fc
  .record({ calls: fc.integer({ min: 1, max: 6 }), isDone: fc.boolean() })
  .map(({ calls, isDone }) =>
    make(`break call ${calls} ${isDone ? 'after' : 'before'} it is carried out`, async (client) =>
      client.crash(calls, isDone),
    ),
  )

const weighted = (weight: number, arbitrary: fc.Arbitrary<Command>) => Array.from({ length: weight }, () => arbitrary)

/** Every command; those that find more bugs are likelier. */
export const anyCommands: readonly fc.Arbitrary<Command>[] = [
  ...weighted(5, create),
  ...weighted(4, ofJob('poll')),
  ...weighted(3, ofJob('cancel')),
  ...weighted(2, ofJob('remove')),
  ...weighted(2, foreign),
  ...weighted(2, list),
  ...weighted(2, describe),
  estimate,
  revoke,
  deactivate,
  ...weighted(8, takeStep),
  ...weighted(4, repeat),
  ...weighted(4, carryOn),
  breakExecution,
  ...weighted(2, sweep),
  ...weighted(3, advance),
  ...weighted(4, endQuery),
  ...weighted(2, endNextAtOnce),
  throttle,
  ...weighted(2, crash),
]
