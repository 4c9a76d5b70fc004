import { Tags } from 'aws-cdk-lib'
import type { IConstruct } from 'constructs'
import type { Stage } from './stage.ts'

/** Tag whose value is the name of a stage. Its name is specific, because other services may have stages as well. */
export const stageTag = 'rate-search-stage'

/** The tags of each resource of a stage, by which bills and budgets can tell it from the rest of an account. */
export const tagsOf = ({ name }: Pick<Stage, 'name'>): Readonly<Record<string, string>> => ({
  service: 'rate-search',
  [stageTag]: name,
})

/**
 * Tags all resources below a construct, and its stacks. There is no tag of the version: it would change every resource
 * with each upgrade.
 */
export function tagResources(scope: IConstruct, stage: Pick<Stage, 'name'>): void {
  for (const [key, value] of Object.entries(tagsOf(stage))) Tags.of(scope).add(key, value)
}
