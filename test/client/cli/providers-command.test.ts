import { describe, expect, it } from 'vitest'
import { runCommandLine } from '../../../client/cli/run.ts'
import { startHttpStub } from '../../doubles/http-stub.ts'
import { makeWorld } from './world.ts'

const grace = {
  ...{ npi: 1000100010, name: 'GRACE JANKOWSKI', taxonomy: '207X00000X', specialty: null },
  ...{ city: 'PORTLAND', state: 'OR', zip: null },
}

/** Runs the command over a service that gives one answer. */
async function run(args: readonly string[], answer: object = {}) {
  const body = { providers: [grace], nppes_month: '2026-11', complete: true, stopped_by: null, ...answer }
  await using service = await startHttpStub(() => ({ status: 200, body: JSON.stringify(body) }))
  const world = makeWorld({ environment: { RATE_SEARCH_URL: service.url, RATE_SEARCH_KEY: 'rates_x' } })
  const exitCode = await runCommandLine(['providers', ...args], world, '1')
  return { exitCode, paths: service.calls.map(({ path }) => path), ...world.written }
}

describe('rate-search providers', () => {
  it.each([
    [['1000100010'], '/v1/providers?npi=1000100010'],
    [['jan', 'kow', '--state', 'OR'], '/v1/providers?q=jan%20kow&state=OR'],
    [['--zip', '97205', '--taxonomy', '207X00000X'], '/v1/providers?zip=97205&taxonomy=207X00000X'],
    [['12345', '--zip', '97205', '--limit', '5'], '/v1/providers?q=12345&zip=97205&limit=5'],
  ])('asks for %j', async (args, path) => {
    expect(await run(args)).toMatchObject({ exitCode: 0, paths: [path] })
  })

  it('prints a line for each provider, with the code of a specialty that has no name', async () => {
    const { output } = await run(['1000100010'])
    expect(output.split('\n').map((line) => line.trim().split(/ {2,}/))).toEqual([
      ['NPI', 'NAME', 'SPECIALTY', 'CITY', 'STATE', 'ZIP'],
      ['1000100010', 'GRACE JANKOWSKI', '207X00000X', 'PORTLAND', 'OR'],
      [''],
    ])
  })

  it.each([
    [{ complete: false, stopped_by: 'limit' }, 'more providers match'],
    [{ providers: [], complete: false, stopped_by: 'bytes' }, 'not everything was looked at'],
    [{ providers: [] }, 'no provider of NPPES 2026-11 matches'],
  ])('says why %j is not what was hoped for', async (answer, remark) => {
    expect((await run(['grace', '--state', 'OR'], answer)).errors).toContain(remark)
  })

  it('says that an NPI is unknown', async () => {
    expect((await run(['1000100019'], { providers: [] })).errors).toContain('has no active NPI 1000100019')
  })

  it.each([[[]], [['grace', '--zip', '97205', '--limit', 'many']]])('refuses %j before it calls', async (args) => {
    expect(await run(args)).toMatchObject({ exitCode: 2, paths: [] })
  })
})
