import { toJsonSchema } from '@valibot/to-json-schema'
import { stageFile } from './stage.ts'

/** Returns the JSON schema of stage files, for completion and validation in editors. */
export function describeStageFile(): object {
  return {
    title: 'A stage: one deployment of the service',
    ...toJsonSchema(stageFile, { typeMode: 'input', target: 'draft-2020-12', errorMode: 'ignore' }),
  }
}
