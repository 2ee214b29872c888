/** How much room the rows of lists have: the person's choice, on every device. */
import { IconButton } from '../design/button.tsx'
import { chosenAppearance } from './appearance.ts'
import { useChooseAppearance } from './own-appearance.ts'

export const DensityButton = () => {
  const { choose } = useChooseAppearance()
  const isCompact = chosenAppearance().density === 'compact'
  return (
    <IconButton
      isWrite
      icon={isCompact ? 'rows' : 'denseRows'}
      label="Compact rows"
      aria-pressed={isCompact}
      className="border border-edge bg-raised max-md:hidden"
      onClick={() => choose({ density: isCompact ? 'comfortable' : 'compact' })}
    />
  )
}
