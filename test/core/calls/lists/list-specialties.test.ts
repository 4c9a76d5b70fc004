import { describe, expect, it } from 'vitest'
import { listSpecialties } from '../../../../core/calls/lists/list-specialties.ts'
import { Unauthorized } from '../../../../core/errors.ts'
import { letIn, ownKey, unknownKey } from '../../../builders/own-job.ts'
import { createMemoryJobs } from '../../../doubles/memory-ports.ts'
import { readFaultPaths } from './read-faults.ts'

type Parameters = Readonly<Record<string, string | undefined>>

const { access } = letIn({ jobs: createMemoryJobs() })
const specialties = [
  { code: '000000001X', name: 'Harbor Medicine', grouping: 'Physicians' },
  { code: '000000002X', name: 'Harbor Medicine, Pilots', grouping: 'Physicians' },
  { code: '010000001X', name: 'Wharf', grouping: 'Agencies' },
]
const deps = {
  access,
  now: () => new Date('2026-11-20T09:30:00Z'),
  log: () => {},
  specialties: { readSpecialties: async () => specialties },
}
const list = (parameters: Parameters) => listSpecialties(deps, ownKey, parameters)

const faultsOf = (parameters: Parameters) => readFaultPaths(list(parameters))

describe('the list of specialties', () => {
  it('shows all specialties without words', async () => {
    expect(await list({})).toEqual({ specialties, next_cursor: null })
  })

  it.each([
    ['pilots', ['000000002X']],
    ['MED har', ['000000001X', '000000002X']],
    ['agenc', ['010000001X']],
    ['physicians pilots', ['000000002X']],
    ['01000', ['010000001X']],
    ['000000002x', ['000000002X']],
    ['ilots', []],
  ])('finds by "%s"', async (q, codes) => {
    expect((await list({ q })).specialties.map(({ code }) => code)).toEqual(codes)
  })

  it('continues after its cursor, with the same words only', async () => {
    const first = await list({ q: 'harbor', limit: '1' })
    const cursor = first.next_cursor ?? ''
    expect(await list({ q: 'harbor', cursor })).toEqual({ specialties: [specialties[1]], next_cursor: null })
    expect(await faultsOf({ q: 'medicine', cursor })).toEqual(['cursor'])
  })

  it('names every fault', async () => {
    expect(await faultsOf({ q: '-', limit: '0', cursor: 'c' })).toEqual(['q', 'limit', 'cursor'])
  })

  it('needs a key', async () => {
    await expect(listSpecialties(deps, unknownKey, {})).rejects.toThrow(Unauthorized)
  })
})
