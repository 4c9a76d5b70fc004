import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createDynamoCatalogue } from '../../../../adapters/dynamodb/catalogue/dynamo-catalogue.ts'
import { connectDynamo } from '../../../../adapters/dynamodb/dynamo-client.ts'
import type { CatalogueEntry } from '../../../../core/catalogue/catalogue-entry.ts'
import type { FeeSchedule } from '../../../../core/catalogue/fee-schedule.ts'
import { newEntry } from '../../../builders/sample-search.ts'
import { createMemoryCatalogue } from '../../../doubles/memory-catalogue.ts'
import { connectEndpoints } from '../../../endpoints/connect.ts'

const { tables } = connectEndpoints()
/** The adapter, and the double that tests of the core and the loader use. */
const catalogues = {
  DynamoDB: createDynamoCatalogue(connectDynamo(), tables.catalogue),
  memory: createMemoryCatalogue(),
}

const newPayer = () => `Payer ${randomUUID()}`

const entry = (payer: string, plan: string, facts: Parameters<typeof newEntry>[0] = {}): CatalogueEntry =>
  newEntry({ version: 'version-1', ...facts, payer, plan })

describe.each(Object.entries(catalogues))('a catalogue in %s', (_, catalogue) => {
  describe('the names that begin with a text', () => {
    /** Reads a walk to its end, two names at a time. */
    async function walk(by: 'payer' | 'plan', prefix: string): Promise<readonly FeeSchedule[]> {
      const found: FeeSchedule[] = []
      for (let after: FeeSchedule | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
        const page = await catalogue.listNames({ by, prefix, limit: 2, ...(after && { after }) })
        found.push(...page.items)
        after = page.next
      }
      return found
    }

    it('come in any case, by payer or plan, in order, and without variants and removed names', async () => {
      const id = randomUUID()
      const [payer, other] = [`${id} Blue`, `${id} BLUER`]
      const plans = [`${id} gold`, `${id} Gold PPO`, `${id} SILVER`, `${id} Gold 2`, 'Ünion']
      const stored = [
        ...plans.map((plan) => entry(payer, plan)),
        entry(payer, `${id} Gold PPO (EIN 111111111)`, { variantOf: `${id} Gold PPO` }),
        { ...entry(payer, `${id} Gold Old`), state: { status: 'removed' } as const },
        entry(other, `${id} Gold 3`),
      ]
      for (const each of stored) await catalogue.replace(each, undefined)
      expect(await walk('payer', `${id} blue`)).toEqual([
        ...[plans[0], plans[3], plans[1], plans[2], plans[4]].map((plan) => ({ payer, plan })),
        { payer: other, plan: `${id} Gold 3` },
      ])
      expect(await walk('payer', `${id} blue\u0000ü`)).toEqual([{ payer, plan: 'Ünion' }])
      expect(await walk('plan', `${id} gold `)).toEqual([
        { payer, plan: `${id} Gold 2` },
        { payer: other, plan: `${id} Gold 3` },
        { payer, plan: `${id} Gold PPO` },
      ])
      expect(await walk('plan', `${id} x`)).toEqual([])
    })

    it('come in pages that say whether more follow', async () => {
      const payer = newPayer()
      for (const plan of ['A', 'B', 'C']) await catalogue.replace(entry(payer, plan), undefined)
      const list = (limit: number, after?: string) =>
        catalogue.listNames({
          by: 'payer',
          prefix: payer.toLowerCase(),
          limit,
          ...(after && { after: { payer, plan: after } }),
        })
      const names = (...plans: readonly string[]) => plans.map((plan) => ({ payer, plan }))
      expect(await list(2)).toStrictEqual({ items: names('A', 'B'), next: { payer, plan: 'B' } })
      expect(await list(2, 'B')).toStrictEqual({ items: names('C') })
      expect(await list(3)).toStrictEqual({ items: names('A', 'B', 'C') })
      expect(await list(4)).toStrictEqual({ items: names('A', 'B', 'C') })
    })

    it('no longer have a name that is removed, and have it again when that is undone', async () => {
      const [payer, plan] = [newPayer(), 'Gold']
      const [first, gone] = [entry(payer, plan), entry(payer, plan, { version: 'version-2' })]
      await catalogue.replace(first, undefined)
      await catalogue.replace({ ...gone, state: { status: 'removed' } }, 'version-1')
      expect(await walk('payer', payer.toLowerCase())).toEqual([])
      await catalogue.replace({ ...first, version: 'version-3' }, 'version-2')
      expect(await walk('payer', payer.toLowerCase())).toEqual([{ payer, plan }])
    })
  })
})
