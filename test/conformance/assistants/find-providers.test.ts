import { describe, expect, it } from 'vitest'
import { choicePlus } from '../samples.ts'
import { useAssistant } from './connect.ts'
import { readTable } from './read-table.ts'

const { ask } = useAssistant()

describe('find_providers', () => {
  it('finds a provider by its NPI, and by words of its name in a state or ZIP code', async () => {
    const grace = { npi: 1000100010, name: 'GRACE JANKOWSKI', specialty: 'Bones and joints', zip: '97205' }
    expect(readTable(await ask('find_providers', { npi: 1000100010 }))).toMatchObject([grace])
    expect(readTable(await ask('find_providers', { q: 'jank grace', zip: '97205' }))).toMatchObject([grace])
    const inState = await ask('find_providers', { q: 'jankowski', state: 'OR' })
    expect(readTable(inState)).toEqual(expect.arrayContaining([expect.objectContaining({ npi: 1000100010 })]))
    expect(inState).toMatchObject({ nppes_month: '2026-11', left_out: expect.stringContaining('ZIP code') })
  })

  it('names the NPIs as a search takes them', async () => {
    const [provider] = readTable(await ask('find_providers', { q: 'pier street orthopedics', state: 'OR' }))
    const search = { fee_schedules: [choicePlus], npis: [provider?.['npi']], billing_codes: ['73721'] }
    expect(await ask('start_search', search)).toMatchObject({ state: 'completed' })
  })

  it('asks for what is missing, and says how to search by a TIN', async () => {
    expect(await ask('find_providers', {})).toMatchObject({ needs: [{ about: 'q' }] })
    expect(await ask('find_providers', { q: 'grace' })).toMatchObject({ needs: [{ about: 'state' }] })
    expect(await ask('find_providers', { state: 'OR' })).toMatchObject({ needs: [{ about: 'q' }] })
    const tin = await ask('find_providers', { tin: '00-1234567' })
    expect(tin).toEqual({ tin: '001234567', next: expect.stringContaining('tins: ["001234567"]') })
  })

  it('says what to do if nobody is found', async () => {
    const named = await ask('find_providers', { q: 'zzzz', state: 'OR' })
    expect(named).toMatchObject({ providers: [], next: expect.stringContaining('fewer words') })
    const numbered = await ask('find_providers', { npi: 1000100019 })
    expect(numbered).toMatchObject({ providers: [], next: expect.stringContaining('no active NPI 1000100019') })
  })
})
