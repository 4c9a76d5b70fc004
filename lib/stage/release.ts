/** The version of this project from which a stage is deployed. */
export interface Release {
  /** Version of the package. */
  readonly version: string
  /** Commit, with `-modified` if files differ from it; undefined outside of a clone. */
  readonly commit: string | undefined
  /** Name of the stage file. */
  readonly stageFile: string
}
