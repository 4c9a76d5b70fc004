import { readCaller } from '../../adapters/caller.ts'
import { CommandFailed } from '../../client/command-line/command-errors.ts'
import type { Stage } from '../../lib/stage/stage.ts'
import { PrintableError } from '../../schema/printable-error.ts'
import { describeFault } from '../command/errors.ts'
import { chooseZones } from './choose-zones.ts'
import { findStacks, guessStageOption } from './deployment.ts'
import { readAllowed, refuseLosses } from './refuse-losses.ts'
import { refuseFailedCreation } from './require-deployable.ts'

/** The context in which the CDK's command synthesises. */
export interface SynthesisContext {
  /** Value of `-c allow=`. */
  readonly allow: string | undefined
  /** Account of the credentials of the CDK's command. */
  readonly account: string
}

/**
 * Makes the comparison of `npm run deploy` for a bare `cdk deploy`. Says so if that is impossible, such as without a
 * right.
 *
 * @param assembly folder of the synthesised stack
 * @throws CommandFailed if the deploy would weaken a protection
 */
export async function guardSynthesis(stage: string, assembly: string, context: SynthesisContext): Promise<void> {
  const allowed = readAllowed('-c allow', context.allow)
  try {
    await requireCaller(context.account)
    const stacks = await findStacks(stage)
    refuseFailedCreation(stacks, guessStageOption(stage))
    await refuseLosses(stacks, assembly, { allowed, stage: `the stage ${stage}`, allow: '-c allow=' })
  } catch (error) {
    if (error instanceof CommandFailed)
      throw new CommandFailed(`${error.message}\nTo only look at the change with cdk diff, add -c compare=off`)
    process.stderr.write(`note: the settings were not compared with the deployed stage: ${describeFault(error)}\n`)
  }
}

/**
 * Chooses the zones of a stage's loads for a bare `cdk deploy`, as `npm run deploy` does.
 *
 * @param account of the credentials of the CDK's command
 * @returns undefined if the network has no zones of its own
 * @throws CommandFailed if it is not known where a deployed network is: it would be replaced unnoticed
 */
export async function findZones(stage: Stage, account: string): Promise<readonly string[] | undefined> {
  if (stage.loads === undefined || stage.loads.zones !== undefined) return undefined
  try {
    await requireCaller(account)
    const { zones, notes } = await chooseZones(stage, await findStacks(stage.name))
    for (const note of notes) process.stderr.write(`note: ${note}\n`)
    return zones
  } catch (error) {
    if (error instanceof CommandFailed) throw error
    throw new CommandFailed(
      `the zones of the network of loads cannot be read: ${describeFault(error)}; use npm run deploy, or name them with "zones" of loads in the stage file`,
    )
  }
}

/** @throws PrintableError if the SDK works in another account than the command of the CDK */
async function requireCaller(account: string): Promise<void> {
  const caller = await readCaller()
  if (caller.account !== account)
    throw new PrintableError(
      `the command of the CDK works in the account ${account}, and the settings of the AWS SDK say ${caller.account}`,
    )
}
