import { relative } from 'node:path'
import type { Stage } from '../../lib/stage/stage.ts'
import { sampleFiles } from '../../local/samples/sample-data.ts'
import { quoteWord } from '../command/cli-arguments.ts'

/** A stage that has been deployed. */
export interface DeployedStage {
  readonly stage: Pick<Stage, 'name' | 'warehouse' | 'disposable'>
  /** Names the stage to `deploy`. */
  readonly option: string
  readonly publicBaseUrl: string
  /** True if a local Athena reads the rates from a folder of this machine. */
  readonly isEmulated: boolean
}

/**
 * Lists the commands from a deployed stage to its first answer, to be pasted one after the other. Only a disposable
 * stage is filled with the samples: their payers are invented.
 *
 * @param folder that the samples are named from. @default - the current one
 */
export function describeNextSteps(
  { stage, option, publicBaseUrl, isEmulated }: DeployedStage,
  folder: string = process.cwd(),
): string {
  const { name, warehouse, disposable } = stage
  const samples = sampleFiles.map((path) => quoteWord(relative(folder, path))).join(' ')
  const files = disposable ? samples : '<in-network file>…'
  const fill =
    warehouse === undefined || isEmulated ? `load -- ${files} --stage ${name}` : `check-warehouse -- ${option}`
  const grant =
    warehouse === undefined && !isEmulated
      ? ['  # if Lake Formation controls access: docs/deploying.md#lake-formation']
      : []
  const loadNote = isEmulated ? ['  # load needs the --data of npm run athena, if that was started with one'] : []
  return [
    'Next:',
    `  organization=$(npm run --silent keys -- create-organization "<name>" --stage ${name})`,
    `  export RATE_SEARCH_URL=${publicBaseUrl}`,
    `  export RATE_SEARCH_KEY=$(npm run --silent keys -- create $organization --stage ${name})`,
    ...loadNote,
    `  npm run ${fill}`,
    '  npm run --silent rate-search -- fee-schedules',
    ...grant,
  ].join('\n')
}
