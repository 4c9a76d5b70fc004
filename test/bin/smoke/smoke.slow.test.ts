import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDynamoAccess } from '../../../adapters/dynamodb/dynamo-access.ts'
import { connectDynamo } from '../../../adapters/dynamodb/dynamo-client.ts'
import type { Check } from '../../../bin/smoke/checks.ts'
import { tamperWith } from '../../../bin/smoke/try-urls.ts'
import { connectCatalogue } from '../../../bin/warehouse/connect-catalogue.ts'
import { isTrialOrganization } from '../../../core/trial-organization.ts'
import { listen, readBody } from '../../../local/http-server.ts'
import { type SampleService, startSampleService } from '../../harness/sample-service.ts'
import { runCommandLine } from '../run-command-line.ts'

let folder: string
let sample: SampleService

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'smoke-'))
  sample = await startSampleService(folder, {})
}, 240_000)

afterAll(async () => {
  await sample.close()
  rmSync(folder, { recursive: true })
})

/** Runs the command, and returns its checks by their names. */
async function smoke(...args: readonly string[]) {
  const { output, errors, exitCode } = await runCommandLine('smoke', ['--data', folder, '--json', ...args])
  if (output === '') throw new Error(errors)
  const { works, checks }: { readonly works: boolean; readonly checks: readonly Check[] } = JSON.parse(output)
  const found = (state: Check['state']) => checks.flatMap((check) => (check.state === state ? [check.name] : []))
  const detailOf = (name: string) => checks.find((check) => check.name === name)?.detail ?? ''
  return { works, exitCode, ok: found('ok'), failed: found('failed'), detailOf }
}

const listTrials = async () => {
  const access = createDynamoAccess(connectDynamo(), sample.service.tables.Access)
  return (await access.listOrganizations()).filter(({ orgId }) => isTrialOrganization(orgId))
}

const announcedTrials = () =>
  readFileSync(join(folder, 'logs/events.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => /"org_id":"smoke/.test(line))

/** Runs `use` while clients find the API at another address. */
async function withBaseUrl(baseUrl: string, use: () => Promise<void>) {
  const file = join(folder, 'service.json')
  const before = readFileSync(file, 'utf8')
  writeFileSync(file, JSON.stringify({ ...JSON.parse(before), baseUrl }))
  await use().finally(() => writeFileSync(file, before))
}

/** Starts an API that forwards calls, and changes the text of the answers. */
async function startProxy(change: (answer: string, path: string, origin: string) => string) {
  const server = await listen(async (request, response) => {
    const { url = '', method = 'GET' } = request
    const body = String(await readBody(request))
    const headers = Object.fromEntries(
      ['authorization', 'content-type', 'idempotency-key'].flatMap((name) => {
        const value = request.headers[name]
        return typeof value === 'string' ? [[name, value]] : []
      }),
    )
    const target = url.startsWith('/storage/') ? decodeURIComponent(url.slice('/storage/'.length)) : undefined
    if (target !== undefined) {
      const file = await fetch(target)
      response.writeHead(200).end(Buffer.from(await file.arrayBuffer()))
      return
    }
    const answer = await fetch(sample.service.baseUrl + url, { method, headers, ...(body !== '' && { body }) })
    const changed = change(await answer.text(), url, server.url)
    response.writeHead(answer.status, { 'content-type': 'application/json', 'retry-after': '1' }).end(changed)
  })
  return server
}

describe('npm run smoke on a service that works', () => {
  it('finds the rows of the files, tries changed and expired URLs, and leaves nothing behind', async () => {
    const { works, exitCode, ok, detailOf } = await smoke()
    expect({ works, exitCode }).toEqual({ works: true, exitCode: 0 })
    expect(ok).toEqual(['api', 'key', 'plan', 'search', 'rows', 'urls', 'removal'])
    expect(detailOf('rows')).toMatch(/^\d+ rows?, as in the 1 file of Summit Ridge Insurance \/ Ridge Select Dental$/)
    expect(detailOf('urls')).toMatch(/^tampered 403, unsigned 403, expired 403; valid for (59|60) minutes$/)
    expect(await listTrials()).toEqual([])
    expect(announcedTrials()).toEqual([])
  })

  it('only sees that there are rows if it is told a code', async () => {
    const { works, detailOf } = await smoke('--code', '99213')
    expect(works).toBe(true)
    expect(detailOf('rows')).toMatch(/^\d+ rows; no file of the service's own warehouse/)
  })

  it('refuses --alarm on one machine, which has no alarms', async () => {
    const alarm = await runCommandLine('smoke', ['--data', folder, '--alarm'])
    expect(alarm).toMatchObject({ exitCode: 2, errors: expect.stringContaining('--alarm needs --stage') })
  })

  it('names the command that starts a service which does not run', async () => {
    const { errors, exitCode } = await runCommandLine('smoke', ['--data', join(folder, 'missing')])
    expect(exitCode).toBe(1)
    expect(errors).toMatch(/^error: no service runs on the data folder \S+: start it with npm start -- --data \S+\n$/)
  })
})

describe('npm run smoke on a service that is broken', () => {
  it('reports an address where nothing answers, and creates no organization', async () => {
    await withBaseUrl('http://127.0.0.1:9', async () => {
      const { exitCode, failed, ok } = await smoke()
      expect({ exitCode, failed, ok }).toEqual({ exitCode: 1, failed: ['api'], ok: ['removal'] })
    })
  })

  it('reports an API that answers calls without a key', async () => {
    const server = await listen(async (_, response) => {
      response.writeHead(200).end('{}')
    })
    await withBaseUrl(server.url, async () => {
      const { exitCode, failed, detailOf } = await smoke()
      expect({ exitCode, failed }).toEqual({ exitCode: 1, failed: ['api'] })
      expect(detailOf('api')).toBe('a call without a key is answered 200, not 401')
    }).finally(() => server.close())
  })

  it('reports a search that does not end', async () => {
    const server = await startProxy((answer, path) =>
      /\/v1\/searches\/[\w-]+$/.test(path) ? answer.replace(/"status":"\w+"/, '"status":"queued"') : answer,
    )
    await withBaseUrl(server.url, async () => {
      const { exitCode, failed, detailOf } = await smoke('--timeout', '3')
      expect({ exitCode, failed }).toEqual({ exitCode: 1, failed: ['search'] })
      expect(detailOf('search')).toMatch(
        /^[\w-]+ has not ended after 3 seconds; its job is completed; more: npm run status -- --data /,
      )
    }).finally(() => server.close())
    expect(await listTrials()).toEqual([])
  })

  it('reports rows that are missing', async () => {
    const lost = join(folder, 'warehouse/fee_schedule_sources')
    renameSync(lost, `${lost}.lost`)
    const { exitCode, failed } = await smoke().finally(() => {
      rmSync(lost, { recursive: true, force: true })
      renameSync(`${lost}.lost`, lost)
    })
    expect(exitCode).toBe(1)
    expect(['search', 'rows']).toContain(failed[0])
    expect(await listTrials()).toEqual([])
  })

  it('reports storage that ignores signatures', async () => {
    const server = await startProxy((answer, path, origin) =>
      /\/v1\/searches\/[\w-]+$/.test(path)
        ? answer.replaceAll(
            /"(http:[^"]+\?[^"]+)"/g,
            (_, url: string) => `"${origin}/storage/${encodeURIComponent(url)}?X-Amz-Signature=0"`,
          )
        : answer,
    )
    await withBaseUrl(server.url, async () => {
      const { exitCode, failed, detailOf } = await smoke()
      expect({ exitCode, failed }).toEqual({ exitCode: 1, failed: ['urls'] })
      expect(detailOf('urls')).toBe('must be 403: tampered 200, unsigned 200, expired 200')
    }).finally(() => server.close())
  })

  it('removes the organization if Ctrl-C stops the wait for a search', async () => {
    const server = await startProxy((answer, path) =>
      /\/v1\/searches\/[\w-]+$/.test(path) ? answer.replace(/"status":"\w+"/, '"status":"queued"') : answer,
    )
    await withBaseUrl(server.url, async () => {
      const child = spawn(process.execPath, ['bin/smoke.ts', '--data', folder], { stdio: ['ignore', 'pipe', 'pipe'] })
      child.stdout.once('data', () => void 0)
      await expect.poll(async () => (await listTrials()).length).toBe(1)
      child.kill('SIGINT')
      const [output, [exitCode]] = await Promise.all([text(child.stdout), once(child, 'close')])
      expect(output).toMatch(/\nok {6}removal {7}removed .* the organization smoke\w+\nnot everything works\n$/)
      expect(exitCode).toBe(1)
    }).finally(() => server.close())
    expect(await listTrials()).toEqual([])
  })
})

describe('npm run smoke on a service without rates', () => {
  it('loads the samples, announces nothing, and removes them', async () => {
    const listPlans = async () =>
      (await connectCatalogue(sample.service.tables).catalogue.list({ limit: 1000 })).items.flatMap(
        ({ payer, plan, state, variantOf }) =>
          state.status === 'active' && variantOf === undefined ? [{ payer, plan }] : [],
      )
    for (const { payer, plan } of await listPlans())
      await runCommandLine('fee-schedules', ['remove', payer, plan, '--yes', '--data', folder])
    expect(await listPlans()).toEqual([])
    const { records } = connectCatalogue(sample.service.tables)
    const listUnannounced = async () => (await records.listUnannounced()).map(({ loadId }) => loadId).sort()
    const unannounced = await listUnannounced()
    const { works, detailOf } = await smoke()
    expect(works).toBe(true)
    expect(detailOf('plan')).toMatch(/^nothing was loaded: loaded 6 plans of the samples; /)
    expect(detailOf('removal')).toMatch(/6 plans of the samples/)
    expect(await listPlans()).toEqual([])
    // The timer of `announce-loads` would announce what is noted here.
    expect(await listUnannounced()).toEqual(unannounced)
    expect(announcedTrials()).toEqual([])
  })
})

describe('a tampered URL', () => {
  it('differs in one digit of its signature', () => {
    expect(tamperWith('https://b/k?X-Amz-Date=1&X-Amz-Signature=0af')).toBe(
      'https://b/k?X-Amz-Date=1&X-Amz-Signature=1af',
    )
    expect(tamperWith('https://b/k?X-Amz-Signature=f0a')).toBe('https://b/k?X-Amz-Signature=00a')
  })
})
