import { mkdtemp, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as v from 'valibot'
import { CommandFailed } from '../../../client/command-line/command-errors.ts'
import { runProgram } from './packages.ts'
import { type Scenario, scenarios } from './scenarios.ts'

const checksSchema = v.array(v.object({ id: v.string(), status: v.string(), errorMessage: v.optional(v.string()) }))

type Checks = v.InferOutput<typeof checksSchema>

/**
 * Runs every scenario in each of its versions.
 *
 * @param folder for the results
 * @param url of the server, which takes requests without a key
 * @returns a line for each run
 * @throws CommandFailed with all checks that failed, and with those that passed although they cannot
 */
export async function checkScenarios(folder: string, url: string): Promise<readonly string[]> {
  const lines: string[] = []
  const faults: string[] = []
  for (const scenario of scenarios)
    for (const version of scenario.versions) {
      const run = `${scenario.name} (${version})`
      const checks = await runScenario(folder, url, scenario.name, version)
      faults.push(...findFaults(scenario, checks).map((fault) => `${run}: ${fault}`))
      const passed = checks.filter(({ status }) => status === 'SUCCESS').length
      const inapplicable = Object.keys(scenario.inapplicable ?? {}).length
      lines.push(`${run}: ${passed} checks passed${inapplicable > 0 ? `, ${inapplicable} do not apply` : ''}`)
    }
  if (faults.length > 0) throw new CommandFailed(faults.join('\n'))
  return lines
}

async function runScenario(folder: string, url: string, name: string, version: string): Promise<Checks> {
  const results = await mkdtemp(join(folder, 'scenario-'))
  const options = ['--url', url, '--scenario', name, '--spec-version', version, '--output-dir', results]
  const { output, errors } = await runProgram('conformance', ['server', ...options], folder)
  const [written] = await readdir(results)
  if (written === undefined) throw new CommandFailed(`${name} (${version}) did not run:\n${output}${errors}`)
  return v.parse(checksSchema, JSON.parse(await readFile(join(results, written, 'checks.json'), 'utf8')))
}

function findFaults({ inapplicable = {} }: Scenario, checks: Checks): readonly string[] {
  if (!checks.some(({ status }) => status === 'SUCCESS')) return ['no check passed']
  const failed = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING')
  const failedIds = new Set(failed.map(({ id }) => id))
  return [
    ...failed.flatMap(({ id, errorMessage = '' }) => (id in inapplicable ? [] : [`${id} failed: ${errorMessage}`])),
    ...Object.keys(inapplicable).flatMap((id) => (failedIds.has(id) ? [] : [`${id} passes: it applies by now`])),
  ]
}
