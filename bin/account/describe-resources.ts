import type { StackResource } from '../../adapters/cloudformation/cfn-stack-resources.ts'
import { createStageResources, type ResourceState } from '../../adapters/stage-resources.ts'
import { mapAtOnce } from '../../core/work-at-once.ts'
import { countOf } from '../../schema/phrases.ts'
import { describeFault } from '../command/errors.ts'

const looksAtOnce = 8

/**
 * Describes whether the resources that searches need are there, because CloudFormation does not notice if somebody
 * deletes or disables one.
 *
 * @param resources of the stage's stack
 * @returns a line that counts them, and lines about those that are gone, off or unknown
 */
export async function describeResources(stack: string, resources: readonly StackResource[]) {
  const { types, look } = createStageResources()
  const needed = resources.filter(({ type }) => types.includes(type.replace('GlobalTable', 'Table')))
  const states = await mapAtOnce(needed, looksAtOnce, async ({ type, physicalId }) => {
    const name = `${type} ${physicalId}`
    return look(type, physicalId).then(
      (state) => describeState(name, state),
      (error: unknown) => ({ line: `unknown: ${name}: ${describeFault(error)}`, isWrong: false }),
    )
  })
  const notable = states.flatMap((state) => state ?? [])
  const isWrong = notable.some((state) => state.isWrong)
  const usable = countOf(states.length - notable.length, 'resource')
  const advice = isWrong
    ? [`a deploy does not make it again: aws cloudformation detect-stack-drift --stack-name ${stack}`]
    : []
  return { lines: [`${usable} usable`, ...notable.map(({ line }) => line), ...advice], isWrong }
}

function describeState(name: string, state: ResourceState) {
  if (state === 'usable') return undefined
  return { line: state === 'gone' ? `gone: ${name}` : `off: ${name} ${state.fault}`, isWrong: true }
}
