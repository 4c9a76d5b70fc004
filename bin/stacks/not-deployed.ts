import { readCaller } from '../../adapters/caller.ts'
import { listStackNames } from '../../adapters/cloudformation/cfn-stack-names.ts'
import { CommandFailed } from '../../client/command-line/command-errors.ts'

/**
 * Describes that a stage is not deployed where the settings of the SDK point to, and which stages are, since a wrong
 * name, profile or region are the common reasons. What may not be read is left out.
 *
 * @param option names the stage to `deploy`
 */
export async function describeNotDeployed(stage: string, option: string): Promise<CommandFailed> {
  const profile = process.env['AWS_PROFILE']
  const [place, names] = await Promise.all([
    readCaller().catch(() => undefined),
    listStackNames().catch(() => undefined),
  ])
  const where =
    place === undefined
      ? 'in this account and region'
      : `in the account ${place.account}, region ${place.region}${profile ? `, profile ${profile}` : ''}`
  return new CommandFailed(
    `the stage ${stage} is not deployed ${where}${describeOthers(names)}; npm run deploy -- ${option} deploys it`,
  )
}

/** Names the stages whose stacks are deployed; nothing if the names of stacks may not be read. */
function describeOthers(names: readonly string[] | undefined): string {
  if (names === undefined) return ''
  const stages = names.flatMap((name) => /^SearchService-(.+)$/.exec(name)?.[1] ?? []).sort()
  return stages.length === 0 ? ', and no stage is' : `; these stages are: ${stages.join(', ')}`
}
