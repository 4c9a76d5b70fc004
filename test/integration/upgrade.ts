import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createStackChanges } from '../../adapters/cloudformation/cfn-stack-changes.ts'
import { findStacks, readOutputs, requireOutput } from '../../bin/stacks/deployment.ts'
import { runCdk } from '../../bin/stacks/run-cdk.ts'
import { CommandFailed } from '../../client/command-line/command-errors.ts'
import { markStage } from './marked-stage.ts'

const stage = 'upgraded'

/**
 * Deploys a stage of its own as an earlier version does, upgrades it with a bare `cdk deploy`, and destroys it. Fails
 * if an organization or an item of any table is lost, or if the stage reads its rates elsewhere than before.
 *
 * Versions up to 0.2.0 made a stack for the warehouse, whose bucket the upgraded stage has to name (docs/adr/0046).
 *
 * @param earlier a checkout of that version, with its packages
 * @param folder a new folder, for the stage file
 */
export async function checkUpgrade(earlier: string, folder: string): Promise<void> {
  mkdirSync(folder)
  const file = join(folder, `${stage}.json`)
  const context = ['-c', `stageFile=${file}`]
  writeFileSync(file, JSON.stringify({ disposable: true }))
  await runCdk(['deploy', '--all', '--require-approval', 'never', ...context], 'on failure', earlier)

  const [service, warehouse] = await findStacks(stage)
  if (service === undefined) throw new CommandFailed('the earlier version made no stack')
  const checkUpgraded = await markStage(service.outputs)
  const location = requireOutput((warehouse ?? service).outputs, 'RatesLocation')
  if (warehouse !== undefined) {
    const ratesBucket = location.replace(/^s3:\/\/|\/$/g, '')
    writeFileSync(file, JSON.stringify({ disposable: true, ratesBucket }))
  }
  await deleteApiStage(requireOutput(service.outputs, 'ApiId'))
  await runCdk(['deploy', '--require-approval', 'never', ...context], 'on failure')

  const outputs = await readOutputs(stage)
  await checkUpgraded(outputs)
  if (outputs['RatesLocation'] !== location)
    throw new CommandFailed(`the upgrade reads rates at ${outputs['RatesLocation']}, not at ${location}`)

  await runCdk(['destroy', '--force', ...context], 'on failure')
  if (warehouse !== undefined) await createStackChanges().deleteStack(warehouse.id)
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
