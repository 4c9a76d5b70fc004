import { DuckDBInstance } from '@duckdb/node-api'
import * as v from 'valibot'
import { expect, it } from 'vitest'
import { buildFile, buildItem } from '../../builders/in-network-builder.ts'
import { createTestWarehouse } from '../../builders/test-warehouse.ts'
import { actionsOn, roleOf, statementsOf } from '../../templates/policies.ts'
import { readText } from '../../templates/source-files.ts'
import { dev } from '../../templates/templates.ts'

const page = readText('docs/sql.md')
const block = (kind: string) => new RegExp(`\n\`\`\`${kind}\n([^]*?)\`\`\``).exec(page)?.[1] ?? expect.fail(kind)

const list = v.union([
  v.array(v.string()),
  v.pipe(
    v.string(),
    v.transform((one) => [one]),
  ),
])
const policySchema = v.object({ Statement: v.array(v.object({ Action: list, Resource: list })) })

it('the policy of a reader has what the service itself reads rates with', () => {
  const { Statement } = v.parse(policySchema, JSON.parse(block('json')))
  const documented = Statement.map(({ Action, Resource }) => ({
    effect: 'Allow',
    actions: Action,
    resources: Resource,
    conditional: false,
  }))
  const { service } = dev()
  const granted = statementsOf(service, roleOf(service, 'StartQuery'))
  // Tools that browse a database list it and its tables.
  const browsing = ['glue:GetDatabases', 'glue:GetTables']
  const reading = actionsOn(documented, /:glue:.*:catalog$/).filter((action) => !browsing.includes(action))
  expect(reading).toEqual(actionsOn(granted, /:glue:.*:catalog$/))
  const kinds = (statements: typeof granted) =>
    statements.flatMap(({ resources }) =>
      resources.flatMap((each) => /:glue:.*:(catalog|database\/default|database|table)\b/.exec(each)?.[1] ?? []),
    )
  expect(new Set(kinds(documented))).toEqual(new Set(kinds(granted)))
  const s3 = granted.filter(({ actions }) => actions.every((action) => action.startsWith('s3:')))
  expect(actionsOn(documented, /<rates>\/\*$/)).toEqual(actionsOn(s3, /Rates[^/]*\/\*$/))
  expect(actionsOn(documented, /<results>\/\*$/)).toEqual(actionsOn(s3, /QueryResults[^/]*\/\*$/))
  expect(actionsOn(documented, /:::<rates>$/)).toEqual(actionsOn(s3, /Rates[^/]*$/))
})

it('the statements for DuckDB find the active prices of a plan, and neither superseded nor those of another plan', async () => {
  await using warehouse = await createTestWarehouse()
  const load = async (plan: string, billing_code: string) => {
    const file = buildFile({ plan_name: plan, in_network: [buildItem({ billing_code })] })
    await warehouse.load({ files: [await warehouse.write(`${plan}.json`, file)] })
  }
  await load('Harbor HMO Silver', '99213')
  await load('Harbor PPO Gold', '27447')
  await load('Harbor PPO Gold', '99213')
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  const statements = block('sql current').replace('.data/warehouse/', `${warehouse.root}/`).split(/;\n/)
  const last = statements.findLast((statement) => statement.trim() !== '') ?? expect.fail()
  for (const statement of statements.slice(0, statements.indexOf(last))) await connection.run(statement)
  const rows = (await connection.runAndReadAll(last)).getRowObjectsJson()
  instance.closeSync()
  const expected = await warehouse.readRates({ payer: 'Blue Harbor Health', plan: 'Harbor PPO Gold' })
  expect(expected.length).toBeGreaterThan(0)
  const facts = (row: Readonly<Record<string, unknown>>) =>
    ['plan', 'npi', 'tin_value', 'billing_code', 'negotiated_rate', 'price_id'].map((name) => String(row[name]))
  expect(rows.map(facts).sort()).toEqual(expected.map(facts).sort())
})
