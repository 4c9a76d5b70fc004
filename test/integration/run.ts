import { spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDynamoCatalogue } from '../../adapters/dynamodb/catalogue/dynamo-catalogue.ts'
import { createDynamoContents } from '../../adapters/dynamodb/catalogue/dynamo-contents.ts'
import { createDynamoLoadRecords } from '../../adapters/dynamodb/catalogue/dynamo-load-records.ts'
import { createDynamoAccess } from '../../adapters/dynamodb/dynamo-access.ts'
import { connectDynamo } from '../../adapters/dynamodb/dynamo-client.ts'
import { createDynamoCodeNames } from '../../adapters/dynamodb/vocabulary/dynamo-code-names.ts'
import { createDynamoSpecialties } from '../../adapters/dynamodb/vocabulary/dynamo-specialties.ts'
import { createS3Objects } from '../../adapters/s3/s3-objects.ts'
import { createS3WarehouseFiles } from '../../adapters/s3/s3-warehouse-files.ts'
import { createQueryResults, emulatorStageName, readEmulatorContext } from '../../bin/command/emulator.ts'
import { runCommand } from '../../bin/command/run-command.ts'
import { createDemoOrganization, loadSamples } from '../../bin/samples/seed.ts'
import { readOutputs } from '../../bin/stacks/deployment.ts'
import { runCdk } from '../../bin/stacks/run-cdk.ts'
import { CommandFailed } from '../../client/command-line/command-errors.ts'
import { openCodeNameWriter } from '../../core/vocabulary/code-name-writer.ts'
import { requireStage } from '../../lib/stage/stage-files.ts'
import { openLocalFiles } from '../../loader/publish/warehouse/local-files.ts'
import { openWarehouseFolder } from '../../loader/publish/warehouse/warehouse-folder.ts'
import { realMachine } from '../../loader/write/machine.ts'
import { startAthena } from '../../local/athena/server.ts'
import { localWarehouseBucket, nppesTables } from '../../schema/columns/providers-table.ts'
import { checkOut, findLastRelease } from './release-history.ts'
import { checkUpgrade } from './upgrade.ts'

const usage = `
Deploys the service to the AWS emulator at AWS_ENDPOINT_URL, runs the conformance suite against it, and destroys it.
Before that, it deploys a stage of the last release (the last commit before this one that changed the version), upgrades
it, and checks that its organizations and items still exist.
Emulators lack Athena, so searches run on the local Athena over the sample data.

Usage: AWS_ENDPOINT_URL=http://127.0.0.1:4566 npm run test:integration

  --help  print this
`

await runCommand(usage, async () => {
  const endpoint = process.env['AWS_ENDPOINT_URL']
  if (!endpoint) {
    throw new CommandFailed(
      'AWS_ENDPOINT_URL is not set: set it to the address of the emulator, because this command deploys and destroys stacks',
    )
  }
  const folder = mkdtempSync(join(tmpdir(), 'rate-search-integration-'))
  await using running = new AsyncDisposableStack()
  running.defer(() => rmSync(folder, { recursive: true, force: true }))

  say('bootstrap')
  await runCdk(
    ['bootstrap', '--app', '', `aws://${process.env['CDK_DEFAULT_ACCOUNT'] ?? '000000000000'}/${region()}`],
    'on failure',
  )
  const objects = createS3Objects()
  await createQueryResults()
  const athena = await startAthena({
    warehouseFolder: join(folder, 'warehouse'),
    objects,
    outputLocation: requireStage(emulatorStageName).warehouse?.queryResults ?? '',
    now: () => new Date(),
    newId: randomUUID,
  })
  running.defer(() => athena.close())

  await tryUpgrade(folder)

  say('deploy')
  const context = ['-c', `stage=${emulatorStageName}`, ...readEmulatorContext(athena.url)]
  running.defer(() => runCdk(['destroy', '--force', ...context], 'on failure'))
  await runCdk(['deploy', '--require-approval', 'never', ...context], 'on failure')

  say('load the samples')
  const outputs = await readOutputs(emulatorStageName)
  await loadSamples({
    warehouse: openWarehouseFolder(join(folder, 'warehouse')),
    catalogue: createDynamoCatalogue(connectDynamo(), outputs['CatalogueTable'] ?? '', outputs['ContentsTable'] ?? ''),
    contents: createDynamoContents(connectDynamo(), outputs['ContentsTable'] ?? ''),
    records: createDynamoLoadRecords(connectDynamo(), outputs['ContentsTable'] ?? ''),
    codeNames: openCodeNameWriter(
      createDynamoCodeNames(connectDynamo(), outputs['ContentsTable'] ?? ''),
      randomUUID,
      () => new Date(),
    ),
    specialties: createDynamoSpecialties(connectDynamo(), outputs['ContentsTable'] ?? ''),
    newId: () => randomBytes(10).toString('hex'),
    now: () => new Date(),
    machine: realMachine,
  })
  await objects.createBucket(localWarehouseBucket)
  await uploadProviderFiles(join(folder, 'warehouse'))
  const access = createDynamoAccess(connectDynamo(), outputs['AccessTable'] ?? '')
  const [one, two, revoked, inactive] = [
    await createDemoOrganization(access, 'One'),
    await createDemoOrganization(access, 'Two'),
    await createDemoOrganization(access, 'Revoked'),
    await createDemoOrganization(access, 'Inactive'),
  ]
  for (const { keyId } of await access.listKeys(revoked.id)) await access.revokeKey(revoked.id, keyId, new Date())
  await access.setActive(inactive.id, false)

  say('conformance')
  await runConformance({
    CONFORMANCE_BASE_URL: `${endpoint}/_aws/execute-api/${outputs['ApiId']}/${emulatorStageName}`,
    CONFORMANCE_PUBLIC_BASE_URL: outputs['PublicBaseUrl'] ?? '',
    CONFORMANCE_KEYS: `${one.api_key},${two.api_key}`,
    CONFORMANCE_REFUSED_KEYS: `${revoked.api_key},${inactive.api_key}`,
    CONFORMANCE_EMULATED: '1',
    CONFORMANCE_OPERATOR: `--stage ${emulatorStageName}`,
    // LocalStack runs a process per execution environment and runs out of file descriptors at forty.
    CONFORMANCE_SEARCHES_AT_ONCE: '10',
    // Emulators serve private objects without a signature.
    CONFORMANCE_ALLOWS_UNSIGNED: '1',
  })
  say('destroy')
})

async function tryUpgrade(folder: string): Promise<void> {
  const checkout = join(import.meta.dirname, '../..')
  const release = await findLastRelease(checkout)
  if (release === undefined) {
    say('upgrade: NOT tested, because the history of this clone ends before the last release: git fetch --unshallow')
    return
  }
  const { commit, version } = release
  const earlier = join(folder, 'release')
  say(`upgrade from ${version}, commit ${commit.slice(0, 12)}`)
  await checkOut(checkout, commit, earlier)
  await checkUpgrade(earlier, join(folder, 'upgraded'))
}

async function runConformance(variables: Readonly<Record<string, string>>): Promise<void> {
  const vitest = join(import.meta.dirname, '../../node_modules/vitest/vitest.mjs')
  // One file at a time, with one retry: an emulator starts a process per environment and gives up on slow starts.
  const args = [
    vitest,
    'run',
    '--project',
    'conformance',
    '--no-file-parallelism',
    '--retry=1',
    ...process.argv.slice(2),
  ]
  const child = spawn(process.execPath, args, {
    stdio: 'inherit',
    env: { ...process.env, ...variables },
  })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new CommandFailed('the deployed service does not conform')
}

function region(): string {
  return process.env['AWS_REGION'] ?? process.env['AWS_DEFAULT_REGION'] ?? 'us-east-1'
}

function say(step: string): void {
  process.stderr.write(`── ${step}\n`)
}

/** Uploads what functions read of the warehouse themselves; the local Athena reads its folder. */
async function uploadProviderFiles(warehouseFolder: string): Promise<void> {
  const [local, stored] = [openLocalFiles(warehouseFolder), createS3WarehouseFiles(`s3://${localWarehouseBucket}/`)]
  for (const { name } of nppesTables)
    for (const { path } of await local.list(`${name}/`)) await stored.upload(path, join(warehouseFolder, path))
}
