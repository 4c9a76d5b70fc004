import { describe, expect, it } from 'vitest'
import { listProviders } from '../../../../core/calls/lists/list-providers.ts'
import { Unauthorized } from '../../../../core/errors.ts'
import { RateLimited } from '../../../../core/limits/rate-limited.ts'
import type { Provider, ProviderFiles } from '../../../../core/vocabulary/ports.ts'
import { letIn, ownKey, unknownKey } from '../../../builders/own-job.ts'
import { newNppesMonth } from '../../../builders/sample-search.ts'
import { createMemoryJobs } from '../../../doubles/memory-ports.ts'
import { openReads } from '../../../doubles/memory-usages.ts'
import { createMemoryProviderFiles } from '../../../doubles/vocabulary/memory-provider-files.ts'
import { readFaultPaths, readFaults } from './read-faults.ts'

type Parameters = Readonly<Record<string, string | undefined>>

const { access } = letIn({ jobs: createMemoryJobs() })

const providerOf = (npi: number, name: string, facts: Partial<Provider> = {}): Provider => ({
  ...{ npi, name, taxonomy: '000000001X', city: 'PORTLAND', state: 'OR', zip: '97205' },
  ...facts,
})
const grace = providerOf(1000100010, 'GRACE JANKOWSKI')
const boise = providerOf(1000100028, 'GRACE OKAFOR', { state: 'ID', zip: '83702', taxonomy: null })
const clinic = providerOf(1000100036, 'GRACE CLINIC', { zip: '97214', taxonomy: '000000009X' })

const active = newNppesMonth({ directory: { bytes: 9 } })
const deps = {
  access,
  ...openReads(),
  now: () => new Date('2026-11-20T09:30:00Z'),
  log: () => {},
  contents: { readNppesMonths: async () => ({ version: '1', active, replaced: [] }) },
  providerFiles: createMemoryProviderFiles([grace, boise, clinic]),
  specialties: {
    readSpecialties: async () => [{ code: '000000001X', name: 'Harbor Medicine', grouping: 'Physicians' }],
  },
}
const list = (parameters: Parameters) => listProviders(deps, ownKey, parameters)
const listNpis = async (parameters: Parameters) => (await list(parameters)).providers.map(({ npi }) => npi)

describe('the list of providers', () => {
  it('names their specialty, if it is loaded', async () => {
    expect(await list({ npi: '1000100010' })).toEqual({
      providers: [{ ...grace, specialty: 'Harbor Medicine' }],
      ...{ nppes_month: '2026-11', complete: true, stopped_by: null },
    })
    const { providers } = await list({ zip: '97214' })
    expect(providers).toEqual([{ ...clinic, specialty: null }])
  })

  it.each<[Parameters, readonly number[]]>([
    [{ npi: '1000100011' }, []],
    [{ q: 'grace', state: 'or' }, [1000100010, 1000100036]],
    [{ q: 'jan GRA', state: 'OR' }, [1000100010]],
    [{ q: 'grace', zip: '83702' }, [1000100028]],
    [{ zip: '97205', state: 'ID' }, []],
    [{ zip: '97205', taxonomy: '000000001x' }, [1000100010]],
    [{ q: 'grace', state: 'OR', taxonomy: '000000009X' }, [1000100036]],
  ])('matches all of %j', async (parameters, npis) => {
    expect(await listNpis(parameters)).toEqual(npis)
  })

  it('says that it is not complete if more match, or if not everything was looked at', async () => {
    const limited = { complete: false, stopped_by: 'limit' }
    expect(await list({ q: 'grace', state: 'OR', limit: '1' })).toMatchObject(limited)
    const providerFiles: ProviderFiles = {
      ...deps.providerFiles,
      findByArea: async () => ({ providers: [grace], stoppedBy: 'bytes' }),
    }
    const answer = await listProviders({ ...deps, providerFiles }, ownKey, { q: 'grace', state: 'OR' })
    expect(answer).toMatchObject({ providers: [{ npi: 1000100010 }], complete: false, stopped_by: 'bytes' })
  })
})

describe('a request for providers', () => {
  it.each<[Parameters, readonly string[]]>([
    [{}, ['npi']],
    [{ q: 'grace' }, ['zip']],
    [{ taxonomy: '000000001X' }, ['zip']],
    [{ state: 'OR' }, ['q']],
    [{ state: 'OR', taxonomy: '000000001X' }, ['q']],
    [{ npi: '1000100010', zip: '97205', q: 'grace' }, ['q', 'zip']],
    [{ npi: '0' }, ['npi']],
    [{ npi: '0000000001' }, ['npi']],
    [{ q: '-', state: 'Oregon', zip: '9720', taxonomy: 'x', limit: '51' }, ['q', 'state', 'zip', 'taxonomy', 'limit']],
  ])('names every fault: %j', async (parameters, paths) => {
    expect(await readFaultPaths(list(parameters))).toEqual(paths)
  })

  it('names the next step before NPPES is loaded', async () => {
    const contents = { readNppesMonths: async () => undefined }
    const answer = listProviders({ ...deps, contents }, ownKey, { zip: '97205' })
    expect(await readFaults(answer)).toEqual([
      {
        path: 'zip',
        message: 'cannot be looked up before NPPES is loaded: ask the operator to run `npm run nppes -- load`',
      },
    ])
  })

  it('finds by NPI only if an earlier version loaded the month', async () => {
    const { directory: _, ...withoutDirectory } = active
    const contents = { readNppesMonths: async () => ({ version: '1', active: withoutDirectory, replaced: [] }) }
    const ask = (parameters: Parameters) => listProviders({ ...deps, contents }, ownKey, parameters)
    expect((await ask({ npi: '1000100010' })).providers).toHaveLength(1)
    expect(await readFaultPaths(ask({ q: 'grace', state: 'OR' }))).toEqual(['state'])
    await expect(ask({ zip: '97205' })).rejects.toMatchObject({
      details: [{ path: 'zip', message: expect.stringContaining('an earlier version loaded NPPES 2026-11') }],
    })
  })

  it('needs a key', async () => {
    await expect(listProviders(deps, unknownKey, { zip: '97205' })).rejects.toThrow(Unauthorized)
  })

  it('count towards the rate of the organization when they are answered, and not when they are refused', async () => {
    const limited = { ...deps, ...openReads({ searches: 1, perMinute: 1 }) }
    const ask = (parameters: Parameters) => listProviders(limited, ownKey, parameters)
    for (const _ of Array(6)) await readFaults(ask({ zip: 'x' }))
    for (const _ of Array(5)) expect((await ask({ zip: '97205' })).providers).toHaveLength(1)
    for (const query of [{ zip: '97205' }, { npi: '1000100010' }]) await expect(ask(query)).rejects.toThrow(RateLimited)
  })
})
