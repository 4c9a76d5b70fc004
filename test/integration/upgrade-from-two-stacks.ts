import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createStackChanges } from '../../adapters/cfn-stack-changes.ts'
import { findStacks, readOutputs, requireOutput } from '../../bin/stacks/deployment.ts'
import { runCdk } from '../../bin/stacks/run-cdk.ts'
import { CommandFailed } from '../../client/command-line/command-errors.ts'
import { markStage } from './marked-stage.ts'

/** The last commit that deploys a warehouse in a stack of its own (docs/adr/0046). */
export const lastOfTwoStacks = 'a1f162f6'

const stage = 'two-stacks'

/**
 * Deploys a stage as a version with two stacks did, and upgrades it with a bare `cdk deploy`. Fails if an organization
 * or an item of any table is lost, or if the stage reads its rates elsewhere than before.
 *
 * @param earlier a checkout of that version, with its packages
 * @param folder a new folder, for the stage file
 */
export async function checkUpgradeFromTwoStacks(earlier: string, folder: string): Promise<void> {
  mkdirSync(folder)
  const file = join(folder, `${stage}.json`)
  const context = ['-c', `stageFile=${file}`]
  writeFileSync(file, JSON.stringify({ disposable: true }))
  await runCdk(['deploy', '--all', '--require-approval', 'never', ...context], 'on failure', earlier)

  const [service, warehouse] = await findStacks(stage)
  if (service === undefined || warehouse === undefined) throw new CommandFailed('the earlier version made one stack')
  const checkUpgraded = await markStage(service.outputs)
  const location = requireOutput(warehouse.outputs, 'RatesLocation')

  const ratesBucket = location.replace(/^s3:\/\/|\/$/g, '')
  writeFileSync(file, JSON.stringify({ disposable: true, ratesBucket }))
  await deleteApiStage(requireOutput(service.outputs, 'ApiId'))
  await runCdk(['deploy', '--require-approval', 'never', ...context], 'on failure')

  const outputs = await readOutputs(stage)
  await checkUpgraded(outputs)
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
