import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb'
import { createStackChanges } from '../../adapters/cfn-stack-changes.ts'
import { createDynamoAccess } from '../../adapters/dynamodb/dynamo-access.ts'
import { connectDynamo } from '../../adapters/dynamodb/dynamo-client.ts'
import { createDemoOrganization } from '../../bin/samples/seed.ts'
import { findStacks, readOutputs, readTables, requireOutput } from '../../bin/stacks/deployment.ts'
import { runCdk } from '../../bin/stacks/run-cdk.ts'
import { CommandFailed } from '../../client/command-line/command-errors.ts'
import { type OfTables, serviceTables, type TableSchema } from '../../schema/tables.ts'
import { checkOut } from './last-release.ts'

/** The last commit that deploys a warehouse in a stack of its own (docs/adr/0046). */
export const lastOfTwoStacks = 'a1f162f6'

const stage = 'two-stacks'

/** Values of the keys of an item that is written before the upgrade, the same in each table. */
const marker = 'before-the-upgrade'

/**
 * Deploys a stage as the last version with two stacks did, and upgrades it with a bare `cdk deploy`. Fails if an
 * organization or an item of any table is lost, or if the stage reads its rates elsewhere than before.
 *
 * @param checkout of this project
 * @param folder a new folder, for the earlier version
 */
export async function checkUpgradeFromTwoStacks(checkout: string, folder: string): Promise<void> {
  mkdirSync(folder)
  const earlier = join(folder, 'checkout')
  await checkOut(checkout, lastOfTwoStacks, earlier)
  const file = join(folder, `${stage}.json`)
  const context = ['-c', `stageFile=${file}`]
  writeFileSync(file, JSON.stringify({ disposable: true }))
  await runCdk(['deploy', '--all', '--require-approval', 'never', ...context], 'on failure', earlier)

  const [service, warehouse] = await findStacks(stage)
  if (service === undefined || warehouse === undefined) throw new CommandFailed('the earlier version made one stack')
  const tables = readTables(service.outputs)
  const client = DynamoDBDocumentClient.from(connectDynamo())
  for (const [name, schema] of Object.entries<TableSchema>(serviceTables))
    await client.send(new PutCommand({ TableName: findTable(tables, name), Item: markedKey(schema) }))
  const { id } = await createDemoOrganization(createDynamoAccess(connectDynamo(), tables.Access), 'Before')
  const location = requireOutput(warehouse.outputs, 'RatesLocation')

  const ratesBucket = location.replace(/^s3:\/\/|\/$/g, '')
  writeFileSync(file, JSON.stringify({ disposable: true, ratesBucket }))
  await deleteApiStage(requireOutput(service.outputs, 'ApiId'))
  await runCdk(['deploy', '--require-approval', 'never', ...context], 'on failure')

  const outputs = await readOutputs(stage)
  const upgraded = readTables(outputs)
  for (const [name, schema] of Object.entries<TableSchema>(serviceTables)) {
    const Key = markedKey(schema)
    const { Item } = await client.send(new GetCommand({ TableName: findTable(upgraded, name), Key }))
    if (Item === undefined) throw new CommandFailed(`the upgrade lost the items of the table ${name}`)
  }
  const organizations = await createDynamoAccess(connectDynamo(), upgraded.Access).listOrganizations()
  if (!organizations.some(({ orgId }) => orgId === id)) throw new CommandFailed('the upgrade lost an organization')
  if (outputs['RatesLocation'] !== location)
    throw new CommandFailed(`the upgrade reads rates at ${outputs['RatesLocation']}, not at ${location}`)

  await runCdk(['destroy', '--force', ...context], 'on failure')
  await createStackChanges().deleteStack(warehouse.id)
}

/**
 * Deletes the stage of an API. CloudFormation changes a stage in place, but LocalStack 4.14 creates it again, and fails
 * because it exists.
 */
async function deleteApiStage(api: string): Promise<void> {
  const credential = 'Credential=test/20260101/us-east-1/apigateway/aws4_request'
  const { ok, status } = await fetch(`${process.env['AWS_ENDPOINT_URL']}/restapis/${api}/stages/${stage}`, {
    method: 'DELETE',
    headers: { authorization: `AWS4-HMAC-SHA256 ${credential}, SignedHeaders=host, Signature=0` },
  })
  if (!ok) throw new CommandFailed(`the emulator did not delete the stage of the API: ${status}`)
}

const findTable = (tables: OfTables<string>, name: string) => new Map(Object.entries(tables)).get(name)

const markedKey = ({ partitionKey, sortKey }: TableSchema) => ({
  [partitionKey]: marker,
  [sortKey]: marker,
})
