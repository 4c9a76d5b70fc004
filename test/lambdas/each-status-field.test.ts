import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCommandLine } from '../../client/cli/run.ts'
import { SearchCalls } from '../../client/search-calls.ts'
import { completedSearch, failedSearch, runningSearch } from '../../contract/schemas/searches.ts'
import type { AnswerBody } from '../../contract/search-api.ts'
import { type Job, type JobStatus, jobStatuses } from '../../core/job/job.ts'
import { settleSearch } from '../../core/job/settle-search.ts'
import { tagBody } from '../../lambdas/http/tag-answer.ts'
import { at } from '../../schema/at.ts'
import { completedBy, endedAt, expiresAt, failedBy, newJob, touchedAt } from '../builders/new-job.ts'
import { storeKey } from '../builders/new-key.ts'
import { request } from '../builders/sample-search.ts'
import { json, openTools } from '../client/assistants/open-tools.ts'
import { openScriptedService, type ScriptedService } from '../client/cli/scripted-service.ts'
import { makeWorld } from '../client/cli/world.ts'
import { apiDocument } from '../contract/documents.ts'
import { readText } from '../templates/source-files.ts'
import { access, jobs, openSearchApi } from './search-api.ts'

type Fields = Readonly<Record<string, unknown>>

const schemas = { queued: runningSearch, processing: runningSearch, completed: completedSearch, failed: failedSearch }
const names = {
  queued: 'RunningSearch',
  processing: 'RunningSearch',
  completed: 'CompletedSearch',
  failed: 'FailedSearch',
}

/** Facts of a job that answers show, in every state and once it has completed. */
const summary = { weight: 'tins', by: ['state'] } as const
const truncated = true

/** Fields whose values differ in each answer, so that tags leave them out. */
const signed = ['download_urls']

/** Fields that a person at a terminal is not shown, each with the reason. `--json` prints them. */
const unshown: Fields = {
  status_url: 'the command has just asked there',
  summary: 'the manifest describes the request',
  download_urls: 'they are long and expire; their number is shown',
  expires_at: 'the URLs are not shown',
}

/** Fields that assistants are not told, each with the reason. */
const untold: Fields = {
  created_at: 'the name of a search says its day',
  completed_at: 'the months of its sources matter, and are told',
  status_url: 'tools ask by the job id',
  summary: 'told with the statistics of the files, which this job does not have',
  download_urls: 'read_rows reads the files',
  expires_at: 'the URLs are not told',
  truncated: 'no tool starts a search with a limit',
}

/** Stores a job with every fact that an answer may show, and moves it to a state. */
async function storeWholeJob(orgId: string, status: JobStatus): Promise<Job> {
  const job = newJob({ orgId, summary })
  await jobs.create(job, { ...request, summary }, expiresAt)
  if (status !== 'queued') await jobs.begin(job, { contents: ['source-1'] }, touchedAt)
  if (status === 'completed') await jobs.complete({ ...completedBy(job), truncated }, expiresAt)
  if (status === 'failed') await jobs.fail(failedBy(job), expiresAt)
  const stored = await jobs.read(job)
  if (stored?.status !== status) throw new TypeError(`the job is ${stored?.status}`)
  return stored
}

/** The detail of the event that announces the end of a job. */
async function announce(job: Job): Promise<Fields> {
  if (job.status !== 'completed' && job.status !== 'failed') return {}
  const announced: Fields[] = []
  const announcements = {
    announce: async ({ detail }: { readonly detail: object }) => void announced.push({ ...detail }),
  }
  const usages = { free: async () => {} }
  await settleSearch({ jobs: { noteAnnounced: async () => 'written' }, usages, announcements }, job)
  return at(announced, 0)
}

let service: ScriptedService
beforeAll(async () => {
  service = await openScriptedService()
})
afterAll(() => service[Symbol.asyncDispose]())

/** The answers about one job on every surface. */
async function readSurfaces(status: JobStatus) {
  const { token, orgId } = await storeKey(access)
  const job = await storeWholeJob(orgId, status)
  const api = openSearchApi()
  api.clock.now = endedAt
  const { text } = await api.getSearch(job.jobId, { token })
  const body: Fields = JSON.parse(text)
  const { body: manifest } = await api.getManifest(job.jobId, { token })
  const { searches }: AnswerBody<'list-searches'> = JSON.parse((await api.listSearches({ token })).text)
  const given = new SearchCalls({ url: 'https://rates.example', key: 'rates_x', fetch: async () => new Response(text) })
  service.answer = { status: 200, body: text }
  const environment = { RATE_SEARCH_URL: service.url, RATE_SEARCH_KEY: 'rates_x' }
  const print = async (...options: readonly string[]) => {
    const world = makeWorld({ environment })
    expect(await runCommandLine(['status', job.jobId, ...options], world, '1')).toBe(0)
    return world.written.output
  }
  // As a search for rows: tools read the files of a summary, which this job does not have.
  const ofRows = { summary: undefined, request: {} }
  const tools = openTools((path) => json({ ...(path.endsWith('manifest') ? Object(manifest) : body), ...ofRows })())
  return {
    text,
    body,
    others: [searches[0], manifest, await announce(job)].map((each): Fields => ({ ...Object(each) })),
    given: await given.get(job.jobId),
    printed: JSON.parse(await print('--json')),
    shown: await print(),
    told: await tools.send('tools/call', { name: 'get_search', arguments: { job_id: job.jobId, wait_seconds: 0 } }),
  }
}

describe.each(jobStatuses)('the answer about a search that is %s', (status) => {
  let surfaces: Awaited<ReturnType<typeof readSurfaces>>
  beforeAll(async () => {
    surfaces = await readSurfaces(status)
  })

  const fields = Object.keys(schemas[status].entries)

  it('consists of the fields of its schema', () => {
    expect(Object.keys(surfaces.body).toSorted()).toEqual(fields.toSorted())
  })

  describe.each(fields)('has a field %s which', (name) => {
    it('agrees with the list, the manifest and the event', () => {
      const values = surfaces.others.filter((each) => Object.hasOwn(each, name)).map((each) => each[name])
      expect(values).toEqual(values.map(() => (name === 'expires_at' ? expect.anything() : surfaces.body[name])))
    })

    it('changes the tag of the answer, unless it is signed each time', () => {
      const changed = JSON.stringify({ ...surfaces.body, [name]: '2027-01-01T00:00:00.000+00:00' })
      expect(tagBody(changed) !== tagBody(surfaces.text)).toBe(!signed.includes(name))
    })

    it('reaches programs by the client, and by the command line as JSON', () => {
      expect(surfaces.given).toHaveProperty(name, surfaces.body[name])
      expect(surfaces.printed).toHaveProperty(name, surfaces.body[name])
    })

    it('appears to people and assistants, unless there is a reason', () => {
      const word = surfaces.body[name] === true ? name : String(surfaces.body[name])
      expect([name, surfaces.shown.includes(word)]).toEqual([name, unshown[name] === undefined])
      expect([name, surfaces.told.includes(word)]).toEqual([name, untold[name] === undefined])
    })

    it('stands in the documents of the API', () => {
      expect(apiDocument.components.schemas[names[status]]?.properties).toHaveProperty(name)
      const [, table = ''] = readText('docs/api.md').split(/^## (?=A job$)/m)
      expect([name, table.split(/^## /m)[0]?.includes(`\n| \`${name}\` | `)]).toEqual([name, true])
    })
  })
})
