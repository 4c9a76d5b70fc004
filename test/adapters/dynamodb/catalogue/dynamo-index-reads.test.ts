import { expect, it } from 'vitest'
import { createDynamoCatalogue } from '../../../../adapters/dynamodb/catalogue/dynamo-catalogue.ts'
import { connectDynamo } from '../../../../adapters/dynamodb/dynamo-client.ts'
import { connectEndpoints } from '../../../endpoints/connect.ts'

const { tables } = connectEndpoints()

/** Counts the reads of the index for a look-up of unknown plan ids. @param count number of plan ids */
async function countQueries(count: number): Promise<number> {
  const client = connectDynamo()
  let queries = 0
  client.middlewareStack.add(
    (next, context) => (call) => {
      if (context['commandName'] === 'QueryCommand') queries += 1
      return next(call)
    },
    { step: 'initialize' },
  )
  const catalogue = createDynamoCatalogue(client, tables.catalogue, tables.contents)
  const keys = Array.from({ length: count }, (_, index) => `88${String(index).padStart(7, '0')}`)
  expect(await catalogue.findPostingsOf(keys)).toEqual([])
  return queries
}

it('reads each partition of the index once, for 50 plan ids and for 200', async () => {
  expect(await countQueries(50)).toBe(1)
  expect(await countQueries(200)).toBe(1)
})
