import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { FeeSchedulesBody } from '../../../contract/search-api.ts'
import { writeCursor } from '../../../core/paging/cursor.ts'
import { storeKey } from '../../builders/new-key.ts'
import { newEntry } from '../../builders/sample-search.ts'
import { access, catalogue, openSearchApi } from '../search-api.ts'

/** Stores plans of a payer that no other test uses. */
async function storePayer(plans: readonly string[]): Promise<string> {
  const payer = `Payer ${randomUUID()}`
  for (const plan of plans) await catalogue.replace(newEntry({ payer, plan }), undefined)
  return payer
}

const bodyOf = ({ text }: { readonly text: string }): FeeSchedulesBody => JSON.parse(text)

describe('listing fee schedules', () => {
  it("returns a payer's plans page by page, each once and in order", async () => {
    const payer = await storePayer(['Bronze', 'Gold', 'Silver'])
    const { token } = await storeKey(access)
    const api = openSearchApi()
    const first = await api.listFeeSchedules({ token, query: { payer, limit: '2' } })
    expect(first.status).toBe(200)
    expect(first.headers).toMatchObject({ 'Cache-Control': 'no-store', 'X-Request-Id': first.requestId })
    const facts = ['plan_sponsor_names', 'plan_market_types', 'issuer_names', 'network_names', 'product_types']
    const none = Object.fromEntries(facts.map((name) => [name, []]))
    const item = { payer, plan_ids: ['hios|0123'], plan_id_count: 1, last_updated_on: null, partial: false, ...none }
    expect(bodyOf(first).fee_schedules).toEqual([
      { ...item, plan: 'Bronze' },
      { ...item, plan: 'Gold' },
    ])
    const cursor = bodyOf(first).next_cursor ?? ''
    const second = await api.listFeeSchedules({ token, query: { payer, limit: '2', cursor } })
    expect(second.body).toEqual({ fee_schedules: [{ ...item, plan: 'Silver' }], next_cursor: null })
  })

  it('compares payers like searches do, and returns nothing for an unknown one', async () => {
    const payer = await storePayer(['Gold'])
    const { token } = await storeKey(access)
    const spaced = `  ${payer.replace(' ', '   ')} `
    const found = await openSearchApi().listFeeSchedules({ token, query: { payer: spaced } })
    expect(bodyOf(found).fee_schedules).toHaveLength(1)
    const nothing = await openSearchApi().listFeeSchedules({ token, query: { payer: `${payer} Inc` } })
    expect(nothing.body).toEqual({ fee_schedules: [], next_cursor: null })
  })

  it('answers 400 with every fault of the query', async () => {
    const { token } = await storeKey(access)
    const query = { payer: '', limit: '1001', cursor: 'nonsense', page: '2' }
    const answer = await openSearchApi().listFeeSchedules({ token, query })
    expect(answer.status).toBe(400)
    const details = ['page', 'payer', 'limit', 'cursor'].map((path) => expect.objectContaining({ path }))
    expect(answer.body).toMatchObject({ error: { type: 'invalid_request', details } })
  })

  it("refuses another payer's cursor", async () => {
    const [payer, other] = [await storePayer(['Bronze', 'Gold']), await storePayer(['Bronze'])]
    const { token } = await storeKey(access)
    const api = openSearchApi()
    const cursor = bodyOf(await api.listFeeSchedules({ token, query: { payer, limit: '1' } })).next_cursor ?? ''
    expect((await api.listFeeSchedules({ token, query: { payer, cursor } })).status).toBe(200)
    expect((await api.listFeeSchedules({ token, query: { payer: other, cursor } })).status).toBe(400)
    expect((await api.listFeeSchedules({ token, query: { cursor } })).status).toBe(400)
  })

  it('refuses every handmade cursor that is not in the list, and fails at none', async () => {
    const payer = await storePayer(['Gold', 'Gold (EIN 1)', 'Silver'])
    const { token } = await storeKey(access)
    const api = openSearchApi()
    const q = payer.slice(0, -3).toLowerCase()
    const queries = [{ q }, { q: 'gold' }, { payer, q: 'go' }, { payer }, { plan_id: '0123' }, {}]
    const places = [payer, 'Zenith', 'A'].flatMap((of) =>
      ['Gold', 'Silver', 'Aardvark'].flatMap((plan) =>
        ['', `${plan} (EIN 1)`, 'Other (EIN 1)'].map((variant) => [of, plan, variant]),
      ),
    )
    for (const query of queries) {
      const scope = ['fee-schedules', query.payer ?? null, query.q ?? null, null, query.plan_id ?? null, null]
      for (const place of places) {
        const cursor = writeCursor(scope, place)
        const { status } = await api.listFeeSchedules({ token, query: { ...query, cursor } })
        const [of, plan = '', variant = ''] = place
        const isListed = query.payer === undefined || of === payer
        const isVariant = variant === '' || variant.startsWith(`${plan} (`)
        expect([query, place, status]).toEqual([query, place, isListed && isVariant ? 200 : 400])
      }
    }
  })
})
