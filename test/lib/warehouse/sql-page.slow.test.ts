import { DuckDBInstance } from '@duckdb/node-api'
import * as v from 'valibot'
import { expect, it } from 'vitest'
import { loadSamples } from '../../../bin/samples/seed.ts'
import { buildFile, buildItem } from '../../builders/in-network-builder.ts'
import { testMachine } from '../../builders/test-machine.ts'
import { createTestWarehouse, type TestWarehouse } from '../../builders/test-warehouse.ts'
import { createMemorySpecialties } from '../../doubles/vocabulary/memory-specialties.ts'
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

it('documents a policy for readers with the rights with which the service reads rates', () => {
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

/** Loads a plan with a code. */
async function loadPlan(warehouse: TestWarehouse, plan: string, billing_code: string): Promise<void> {
  const file = buildFile({ plan_name: plan, in_network: [buildItem({ billing_code })] })
  await warehouse.load({ files: [await warehouse.write(`${plan}.json`, file)] })
}

/** Runs the statements of the page one after the other, and returns the rows of the last. */
async function runStatements(root: string, plan: string) {
  const text = block('sql current').replace('.data/warehouse/', `${root}/`).replace('Harbor PPO Gold', plan)
  const statements = text.split(/;\n/).filter((statement) => statement.trim() !== '')
  const last = statements.at(-1) ?? expect.fail()
  const instance = await DuckDBInstance.create(':memory:')
  try {
    const connection = await instance.connect()
    for (const statement of statements.slice(0, -1)) await connection.run(statement)
    return (await connection.runAndReadAll(last)).getRowObjectsJson()
  } finally {
    instance.closeSync()
  }
}

it('documents statements for Athena and DuckDB that find the same prices in the samples of npm start', async () => {
  await using warehouse = await createTestWarehouse()
  let ids = 0
  const { folder, catalogue, contents, records, codeNames } = warehouse
  const now = () => new Date('2026-11-20T09:30:00Z')
  const machine = testMachine()
  const specialties = createMemorySpecialties()
  await loadSamples({
    specialties,
    warehouse: folder,
    catalogue,
    contents,
    records,
    codeNames,
    machine,
    newId: () => `sample${ids++}`,
    now,
  })
  const onAthena = await warehouse.query(block('sql'))
  const onDuckdb = await runStatements(warehouse.root, 'Harbor PPO Gold')
  expect(new Set(onAthena.map((row) => row['npi'])).size).toBeGreaterThan(100)
  const facts = (row: Readonly<Record<string, unknown>>) =>
    ['npi', 'tin_value', 'negotiated_rate', 'price_id'].map((name) => String(row[name]))
  expect(onAthena.map(facts).sort()).toEqual(onDuckdb.map(facts).sort())
  expect(new Set(onDuckdb.map((row) => row['billing_code']))).toEqual(new Set(['27447', '99213']))
})

it('documents statements for DuckDB that find only the active prices of one plan', async () => {
  await using warehouse = await createTestWarehouse()
  await loadPlan(warehouse, 'Harbor HMO Silver', '99213')
  await loadPlan(warehouse, 'Harbor PPO Gold', '27447')
  await loadPlan(warehouse, 'Harbor PPO Gold', '99213')
  const rows = await runStatements(warehouse.root, 'Harbor PPO Gold')
  const expected = await warehouse.readRates({ payer: 'Blue Harbor Health', plan: 'Harbor PPO Gold' })
  expect(expected.length).toBeGreaterThan(0)
  const facts = (row: Readonly<Record<string, unknown>>) =>
    ['plan', 'npi', 'tin_value', 'billing_code', 'negotiated_rate', 'price_id'].map((name) => String(row[name]))
  expect(rows.map(facts).sort()).toEqual(expected.map(facts).sort())
})

it('documents statements for DuckDB that report an unknown plan', async () => {
  await using warehouse = await createTestWarehouse()
  await loadPlan(warehouse, 'Harbor PPO Gold', '99213')
  await expect(runStatements(warehouse.root, 'harbor ppo gold')).rejects.toThrow(
    'no rates of this payer and plan: look up both names, in their case, with rate-search fee-schedules',
  )
})
