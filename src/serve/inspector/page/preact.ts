// The one module that imports Preact.
export { render, type ComponentChildren, type JSX, type TargetedEvent, type TargetedInputEvent } from "preact";
export { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
