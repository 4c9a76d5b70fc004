import { type ExecFileException, execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { cpSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { createS3Objects } from '../../adapters/s3/s3-objects.ts'
import { CommandFailed } from '../../client/command-line/command-errors.ts'
import { type LocalService, type LocalServiceOptions, startService } from '../../local/service.ts'
import { requireQueryResults } from './emulator.ts'
import { shareAccess } from './local-access.ts'
import { adoptEnvironment, isAwsSetting } from './local-environment.ts'
import { anyAddress, packagedAssembly } from './packaged-service.ts'

/** The stage that the service on this machine is synthesised as. */
const localStageName = 'local'

/**
 * Starts the local service from a fresh synthesis, and points this process's SDK clients at it. While it runs, commands
 * in other processes find it through the data folder.
 *
 * @throws PortInUse, FolderInUse, StorageUnusable
 */
export async function startLocalService(
  dataFolder: string,
  port: number,
  options: Pick<
    LocalServiceOptions,
    'filesPerQuery' | 'memoryBytes' | 'observe' | 'onInvocation' | 'adjust' | 'whileSynthesising' | 'signIn'
  > = {},
): Promise<LocalService> {
  const service = await startService({
    dataFolder,
    port,
    synthesise: (publicBaseUrl) => synthesise(join(dataFolder, 'cdk.out'), publicBaseUrl),
    connectObjects: (environment) => {
      adoptEnvironment(environment)
      return createS3Objects()
    },
    queryResults: requireQueryResults(localStageName),
    now: () => new Date(),
    newId: randomUUID,
    ...options,
  })
  const shared = shareAccess(dataFolder, service)
  return {
    ...service,
    close: async () => {
      try {
        shared[Symbol.dispose]()
      } finally {
        await service.close()
      }
    },
  }
}

/**
 * Runs the CDK app as `cdk synth` would, in a separate process, because the service would keep the CDK's half a
 * gigabyte for its lifetime. That process survives if the service is killed, so it writes to a temporary folder, which
 * only the service that still waits for it moves into place. The package has no CDK: it brings the stack.
 */
async function synthesise(folder: string, publicBaseUrl: string): Promise<string> {
  const outdir = `${folder}.${randomUUID()}`
  if (packagedAssembly === undefined) await runApp(outdir, publicBaseUrl)
  else copyAssembly(packagedAssembly, outdir, publicBaseUrl)
  clearAssemblies(folder, outdir)
  renameSync(outdir, folder)
  return folder
}

/** Runs the CDK app for the local stage in a process of its own, which writes the assembly to `outdir`. */
export async function runApp(outdir: string, publicBaseUrl: string): Promise<void> {
  const env = {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !isAwsSetting(name))),
    CDK_OUTDIR: outdir,
    CDK_CONTEXT_JSON: JSON.stringify({ stage: localStageName, publicBaseUrl }),
    // The CDK's checks of templates for CloudFormation take longer than all the rest of a start.
    CDK_VALIDATION: 'false',
  }
  await promisify(execFile)(process.execPath, [join(import.meta.dirname, '../app.ts')], { env }).catch(
    (error: ExecFileException) => {
      // Ctrl-C ends the other process, too.
      throw error.signal === 'SIGINT' ? new CommandFailed('stopped before the service had started') : error
    },
  )
}

/** Copies the stack of the package, with the API's address in its template. */
function copyAssembly(assembly: string, outdir: string, publicBaseUrl: string): void {
  cpSync(assembly, outdir, { recursive: true })
  const template = join(outdir, 'SearchService.template.json')
  writeFileSync(template, readFileSync(template, 'utf8').replaceAll(anyAddress, publicBaseUrl))
}

/** Removes the assemblies of earlier starts. A synthesis whose service was killed may still be writing one. */
function clearAssemblies(folder: string, fresh: string): void {
  for (const name of readdirSync(dirname(folder))) {
    const path = join(dirname(folder), name)
    if (name.startsWith(basename(folder)) && name !== basename(fresh))
      rmSync(path, { recursive: true, force: true, maxRetries: 5 })
  }
}
