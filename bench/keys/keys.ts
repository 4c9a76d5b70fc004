import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { APIGatewayProxyEvent, Context } from 'aws-lambda'
import { createDynamoAccess } from '../../adapters/dynamodb/dynamo-access.ts'
import { connectDynamo } from '../../adapters/dynamodb/dynamo-client.ts'
import { createDynamoJobLookup } from '../../adapters/dynamodb/dynamo-job-lookup.ts'
import { CommandFailed, UsageError } from '../../bin/command/errors.ts'
import { startLocalService } from '../../bin/command/local-service.ts'
import { readOptions } from '../../bin/command/options.ts'
import { tableName } from '../../bin/command/seed.ts'
import { formatTable } from '../../bin/command/table.ts'
import { issueApiKey, issueOrganizationId } from '../../core/access/api-key.ts'
import type { AccessAdmin } from '../../core/ports.ts'
import { getSearchHandler } from '../../lambdas/get-search/handler.ts'
import type { Samples } from '../statistics.ts'
import { differenceOfMedians, mannWhitney, quantile, shuffle, welch } from '../statistics.ts'
import { sampleComparison } from './key-comparison.ts'

/** Number of keys per kind, used in rotation. */
const keysAKind = 20

/** Kinds of refused keys. The others are compared with the first; the last is known to be faster. */
const wrongSecret = 'known key id, wrong secret'
const malformed = 'malformed (control)'

/**
 * Measures whether response times tell one wrong key from another, through the whole get-search chain in this process
 * over local tables, in random order. Then measures only the comparison; a control in each part shows that the tests
 * can detect a difference.
 */
export async function benchKeys(args: readonly string[]): Promise<void> {
  const { values } = readOptions({ args: [...args], options: { samples: { type: 'string' } } })
  const { samples = '4000' } = values
  if (!/^\d{3,6}$/.test(samples)) throw new UsageError(`--samples must be a number of at least 100, not "${samples}"`)
  const folder = mkdtempSync(join(tmpdir(), 'bench-keys-'))
  const service = await startLocalService(folder, 0)
  try {
    const tables = { access: tableName(service, 'Access'), jobs: tableName(service, 'Jobs') }
    const answer = openGetSearch(tables)
    const kinds = await makeKeys(createDynamoAccess(connectDynamo(), tables.access))
    print('microseconds of GET /v1/searches/{job_id}', await sampleAnswers(answer, kinds, Number(samples)), wrongSecret)
  } finally {
    await service.close()
    rmSync(folder, { recursive: true, force: true })
  }
  print('nanoseconds of a comparison', sampleComparison(Number(samples)), 'service: no byte matches')
}

type Answer = (token: string) => Promise<number>

function openGetSearch({ access, jobs }: { readonly access: string; readonly jobs: string }): Answer {
  const dynamo = connectDynamo()
  const handler = getSearchHandler({
    access: createDynamoAccess(dynamo, access),
    lookup: createDynamoJobLookup(dynamo, { jobs, access }),
    signer: { sign: () => Promise.reject(new CommandFailed('a refused key got as far as a URL')) },
    publicBaseUrl: 'http://localhost',
    retentionDays: 7,
    now: () => new Date(),
    log: () => {},
  })
  const context: Pick<Context, 'awsRequestId'> = { awsRequestId: 'bench' }
  return async (token) => {
    // Only the fields of the event and context that the chain reads.
    const event = {
      headers: { authorization: `Bearer ${token}` },
      pathParameters: { job_id: '7f8f9b1e-3c5a-4d0e-9b1a-2f6c8d7e5a41' },
      requestContext: { requestId: 'bench' },
    } as unknown as APIGatewayProxyEvent
    const { statusCode } = await handler(event, context as Context)
    return statusCode
  }
}

/** Creates keys with valid checksums but wrong secrets: the hashes stored under their ids differ. */
async function makeKeys(access: AccessAdmin): Promise<ReadonlyMap<string, readonly string[]>> {
  const orgId = issueOrganizationId()
  await access.putOrganization({ orgId, name: 'Bench', active: true })
  const make = async (store: (token: string, keyId: string) => Promise<void>, owner = () => orgId) => {
    const keys = Array.from({ length: keysAKind }, () => issueApiKey(owner()))
    for (const { token, stored } of keys) await store(token, stored.keyId)
    return keys.map(({ token }) => token)
  }
  const storeWrong = (_: string, keyId: string) =>
    access.putKey({ orgId, keyId, hash: issueApiKey(orgId).stored.hash }, 'bench', new Date())
  const unknown = async () => {}
  return new Map([
    [wrongSecret, await make(storeWrong)],
    [
      'revoked key id, wrong secret',
      await make(async (token, keyId) => {
        await storeWrong(token, keyId)
        await access.revokeKey(orgId, keyId, new Date())
      }),
    ],
    ['unknown key id, known organization', await make(unknown)],
    ['unknown organization', await make(unknown, issueOrganizationId)],
    [malformed, (await make(unknown)).map((token) => `${token.slice(0, -1)}${token.endsWith('0') ? '1' : '0'}`)],
  ])
}

async function sampleAnswers(
  answer: Answer,
  kinds: ReadonlyMap<string, readonly string[]>,
  count: number,
): Promise<Samples> {
  const times = new Map([...kinds.keys()].map((kind): [string, number[]] => [kind, []]))
  const warmUp = Math.ceil(count / 10)
  for (let round = 0; round < count + warmUp; round++) {
    for (const [kind, tokens] of shuffle([...kinds], Math.random)) {
      const token = tokens[round % tokens.length] ?? ''
      const start = process.hrtime.bigint()
      const status = await answer(token)
      const microseconds = Number(process.hrtime.bigint() - start) / 1000
      if (status !== 401) throw new CommandFailed(`${kind} was answered with ${status}`)
      if (round >= warmUp) times.get(kind)?.push(microseconds)
    }
  }
  return times
}

function print(title: string, samples: Samples, baseline: string): void {
  const rows = [...samples].map(([kind, times]) => ({
    [title]: kind,
    n: times.length,
    p50: round(quantile(times, 0.5)),
    p99: round(quantile(times, 0.99)),
  }))
  process.stdout.write(`${formatTable([title, 'n', 'p50', 'p99'], rows)}\n\n`)
  const base = samples.get(baseline) ?? []
  for (const [kind, times] of samples) {
    if (kind !== baseline) process.stdout.write(`${kind} | ${baseline}:\n  ${compare(times, base)}\n`)
  }
  process.stdout.write('\n')
}

function compare(times: readonly number[], base: readonly number[]): string {
  const { low, high } = differenceOfMedians(times, base, Math.random)
  const interval = `99 % interval of the difference of medians ${round(low)} .. ${round(high)}`
  const tests = `Mann-Whitney p = ${mannWhitney(times, base).toPrecision(2)}, Welch p = ${welch(times, base).toPrecision(2)}`
  const bound = round(Math.max(Math.abs(low), Math.abs(high)))
  return low <= 0 && high >= 0
    ? `indistinguishable at n = ${times.length}: |difference| < ${bound} (${interval}; ${tests})`
    : `distinguishable at n = ${times.length} (${interval}; ${tests})`
}

const round = (value: number) => Number(value.toPrecision(4))
