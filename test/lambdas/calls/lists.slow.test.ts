import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
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

describe('listing searches', () => {
  it('answers HEAD with the same headers and no body, and refuses it without a body', async () => {
    const { token } = await storeKey(access)
    const api = openSearchApi()
    const head = await api.listSearches({ token, method: 'HEAD' })
    const get = await api.listSearches({ token })
    expect([head.status, head.text, Object.keys(head.headers)]).toEqual([200, '', Object.keys(get.headers)])
    const refused = await api.listSearches({ method: 'HEAD' })
    expect([refused.status, refused.text]).toEqual([401, ''])
    expect(refused.headers).toMatchObject({ 'WWW-Authenticate': 'Bearer' })
  })
})

describe('listing fee schedules', () => {
  // The core has the rule. Only this test shows that DynamoDB accepts every position that the rule admits.
  it('refuses every handmade cursor outside the list, and never fails with 500', async () => {
    const payer = await storePayer(['Gold', 'Gold (EIN 1)', 'Silver'])
    const { token } = await storeKey(access)
    const api = openSearchApi()
    const q = payer.slice(0, -3).toLowerCase()
    const queries = [{ q }, { q: 'gold' }, { payer, q: 'go' }, { payer }, { plan_id: '0123' }, {}]
    const positions = [payer, 'Zenith', 'A'].flatMap((positionPayer) =>
      ['Gold', 'Silver', 'Aardvark'].flatMap((plan) =>
        ['', `${plan} (EIN 1)`, 'Other (EIN 1)'].map((variant) => [positionPayer, plan, variant]),
      ),
    )
    for (const query of queries) {
      const scope = ['fee-schedules', query.payer ?? null, query.q ?? null, null, query.plan_id ?? null, null]
      for (const position of positions) {
        const cursor = writeCursor(scope, position)
        const { status } = await api.listFeeSchedules({ token, query: { ...query, cursor } })
        const [positionPayer, plan = '', variant = ''] = position
        const isListed = query.payer === undefined || positionPayer === payer
        const isVariant = variant === '' || variant.startsWith(`${plan} (`)
        expect([query, position, status]).toEqual([query, position, isListed && isVariant ? 200 : 400])
      }
    }
  })
})
