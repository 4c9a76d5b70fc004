import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { parquetMetadata } from 'hyparquet'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { call, completeSearch, failSearch, readSearch, service } from '../client.ts'
import { findSampleRows, gold, smallSearch } from '../samples.ts'
import { openSession, readSnippets, root, type Session } from './snippets.ts'

const examples = readSnippets('docs/client.md').filter(
  ({ language, name }) => language === 'ts' && name !== 'signature',
)
const [construction, ...calls] = examples

/** The method that an example is of. */
const methodOf = (code: string) => /client\.(\w+)\(/.exec(code)?.[1] ?? expect.fail(`no method in ${code}`)

/** The code of the id of a search that each method can work on. */
async function prepareJob(method: string): Promise<string> {
  if (method === 'list') await failSearch({ ...smallSearch, as_of: '2020-01-01' })
  if (method !== 'cancel') return JSON.stringify((await completeSearch(smallSearch)).job_id)
  // Many, created just before, so that the last is still waiting for its turn when it is cancelled.
  const creations = `Array.from({ length: 8 }, () => client.create(${JSON.stringify(smallSearch)}))`
  return `(await Promise.all(${creations})).at(-1)?.job_id ?? ''`
}

let session: Session
beforeAll(async () => {
  session = await openSession()
})
afterAll(() => session[Symbol.asyncDispose]())

/** Runs code as a module that has the package, the service's address and a key. @returns its standard output */
async function run(name: string, code: string): Promise<string> {
  const file = join(session.folder, `${name}.ts`)
  const imports = `import { RateSearchClient } from ${JSON.stringify(join(root, 'client/rate-search.ts'))}\n`
  await writeFile(file, imports + code)
  const options = { cwd: session.folder, env: session.environment }
  return (await promisify(execFile)(process.execPath, [file], options)).stdout
}

const local = (code: string) =>
  code.replace("'rates_…'", JSON.stringify(service.keys[0])).replace('http://127.0.0.1:3000', service.baseUrl)

describe('the examples of docs/client.md', () => {
  it('search and download every row, from the construction on', async () => {
    await run('construction', local(construction?.code ?? ''))
    const files = readdirSync(join(session.folder, 'rates'))
    const rows = files.map((name) => {
      const bytes = new Uint8Array(readFileSync(join(session.folder, 'rates', name)))
      return Number(parquetMetadata(bytes.buffer).num_rows)
    })
    const expected = findSampleRows({ codes: ['99213', '27447'], plans: [gold] })
    expect(rows.reduce((sum, count) => sum + count, 0)).toBe(expected.length)
  })

  it('cover many methods', () => {
    expect(calls.length).toBeGreaterThan(9)
  })

  it.each(calls.map(({ code }) => [methodOf(code), code] as const))(
    'run, and find something: %s',
    async (method, code) => {
      const jobCode = await prepareJob(method)
      const client = `const client = new RateSearchClient(${JSON.stringify({ url: service.baseUrl, key: service.keys[0] })})
const jobId = ${jobCode}\n`
      const variables = /^const (\{[^}]*\}|\w+) = await/m.exec(code)?.[1] ?? ''
      const names = variables.match(/\w+/g) ?? []
      const printed = await run(
        method,
        `${client}${code}\nconsole.log(JSON.stringify({ ${['jobId', ...names].join(', ')} }))\n`,
      )
      const last = JSON.parse(printed.trim().split('\n').at(-1) ?? '')
      for (const name of ['jobId', ...names]) expect(last[name], name).toBeDefined()
      const { jobId } = last
      if ('files' in last && Array.isArray(last.files)) expect(last.files.length).toBeGreaterThan(0)
      if (typeof last.files === 'number') expect(last.files).toBeGreaterThan(0)
      if (typeof last.rows === 'number') expect(last.rows).toBeGreaterThan(0)
      if (method === 'cancel')
        expect(await readSearch(jobId)).toMatchObject({ error: expect.stringMatching(/^cancelled: /) })
      if (method === 'delete') expect((await call(`/v1/searches/${jobId}`)).status).toBe(404)
      // Loops print a line for each thing that they read.
      if (code.startsWith('for await')) expect(printed.trim().split('\n').length).toBeGreaterThan(1)
    },
  )
})
