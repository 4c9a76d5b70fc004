import { DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb'
import { createDynamoAccess } from '../../adapters/dynamodb/dynamo-access.ts'
import { connectDynamo } from '../../adapters/dynamodb/dynamo-client.ts'
import { createDemoOrganization } from '../../bin/samples/seed.ts'
import { type Outputs, requireOutput, tableOutputs } from '../../bin/stacks/deployment.ts'
import { CommandFailed } from '../../client/command-line/command-errors.ts'
import { serviceTables, type TableSchema } from '../../schema/tables.ts'

/** Values of the keys of an item that is written before an upgrade, the same in each table. */
const marker = 'before-the-upgrade'

const schemas = new Map(Object.entries<TableSchema>(serviceTables))

/** Returns the names of a stage's tables with the keys of their marked items. A stage may lack the newest tables. */
function listMarkedItems(outputs: Outputs) {
  return Object.entries(tableOutputs).flatMap(([name, output]) => {
    const [schema, table] = [schemas.get(name), outputs[output]]
    if (schema === undefined || table === undefined) return []
    return [{ name, table, key: { [schema.partitionKey]: marker, [schema.sortKey]: marker } }]
  })
}

/**
 * Creates an organization in a stage of an earlier version, and writes an item into each of its tables.
 *
 * @returns a check of the upgraded stage's outputs, which throws CommandFailed if anything of it is lost
 */
export async function markStage(earlier: Outputs): Promise<(upgraded: Outputs) => Promise<void>> {
  const client = DynamoDBDocumentClient.from(connectDynamo())
  const marked = listMarkedItems(earlier)
  for (const { table, key } of marked) await client.send(new PutCommand({ TableName: table, Item: key }))
  const openAccess = (outputs: Outputs) =>
    createDynamoAccess(connectDynamo(), requireOutput(outputs, tableOutputs.Access))
  const { id } = await createDemoOrganization(openAccess(earlier), 'Before')

  return async (upgraded) => {
    const tables = new Map(listMarkedItems(upgraded).map(({ name, table }) => [name, table]))
    for (const { name, key } of marked) {
      const { Item } = await client.send(new GetCommand({ TableName: tables.get(name), Key: key }))
      if (Item === undefined) throw new CommandFailed(`the upgrade lost the items of the table ${name}`)
    }
    const organizations = await openAccess(upgraded).listOrganizations()
    if (!organizations.some(({ orgId }) => orgId === id)) throw new CommandFailed('the upgrade lost an organization')
  }
}
